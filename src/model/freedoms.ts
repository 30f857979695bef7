/**
 * What the standard leaves open and how the model decides it. A comparison with another HCA must allow
 * for each of these, and for nothing else.
 */
export const FREEDOMS = {
  /** Which acknowledges a responder sends (9.7.5.1.2): the model answers each packet with AckReq, by itself. */
  ackCoalescing: 'one ACK per packet with AckReq; none for others',
  /** Whether a duplicate without AckReq is answered (9.7.5.1.3). */
  duplicateAck: 'each duplicate SEND or WRITE is acknowledged',
  /** MSN of READ responses (9.7.7): it may also be newer. */
  readMsn: 'the MSN at the time the READ was accepted',
  /** Order of packets of different queue pairs, and of requests and responses of one (9.5). */
  interleaving: 'responses before requests, queue pairs by turns',
  /** When the data of a READ is read, relative to later requests (table 79). */
  readTime: 'when its response leaves',
  /** When the segments of a request are checked (C10-142): earlier packets may have left. */
  gatherCheck: 'with the packet that carries the data',
  /** When the scatter list of a READ is checked: another HCA may find the fault before it asks the peer. */
  readScatterCheck: 'when data arrives',
  /** What of a failing packet has been placed (9.9.2). */
  partialPlacement: 'nothing of that packet, everything of those before',
  /** How many messages a queue has started when another end of it fails. */
  inflight: 'up to 2^log_inflight messages per queue pair',
  /** When data that the host refuses is told of (10.10.2): another HCA may have taken and acknowledged more by then. */
  refusedData:
    'a READ with that response, a SEND at its end, a WRITE with that packet, or at its end if it takes a receive WQE there; what came is acknowledged',
  /** What is owed when a queue pair goes to Error by itself. */
  owedResponses: 'accepted requests are still answered; MODIFY_QP to Error drops what is owed',
  /** Opcode in a completion in error (11.4.2.1 leaves it undefined). */
  errorOpcode: 'SEND or RECV when flushed; of the WQE otherwise',
  /** The `vendor` field of a completion or event. */
  vendor: 'AETH syndrome, or GateCause',
  /** Time: the model needs none but for its timers. */
  time: 'a command is never seen busy; cycles are estimates',
  /** When an ACK time-out is noticed (9.7.6.1.3): from T to 4T, by our contract to 2T. */
  ackTimeout:
    'T after the timer starts: with the first packet outstanding, progress, going back, or the end of an RNR wait',
  /** How long the peer's wish for a delay is kept (9.7.5.2.8): at least. */
  rnrDelay: 'to the cycle',
  /** Requests between going back and the answer to them (9.7.5.1.3): READs may be asked for again while they are answered. */
  replay:
    'every packet from there on that is not acknowledged meanwhile; a READ from the first PSN that is missing',
  /** Response to a READ that was asked for again (9.7.5.1.2). */
  readRestart: 'First or Only where a request began, Middle or Last wherever one goes on',
  /** Credits (9.7.7.2): those of the time when the acknowledge leaves, not counting the WQE in use. */
  credits: 'receive WQEs posted and not taken; a NAK tells none',
  /** MSN and place of the answer to a duplicate READ or atomic. */
  duplicateAnswer: 'newest MSN; in front of what is owed for newer PSNs, but not inside of a READ',
  /** An atomic that does not swap. */
  atomicWrite: 'writes nothing',
} as const;

export type Freedom = keyof typeof FREEDOMS;
