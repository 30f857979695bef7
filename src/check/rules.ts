/** The rules of the wire, by name. A clause names the part of IBA vol. 1 the rule is from, or our own contract. */
export const RULES = {
  // Every packet.
  decodable: [
    'ch. 7 and 9: packet formats',
    'a packet is an IBA packet that holds all headers of its opcode',
  ],
  vcrc: ['ch. 7: VCRC', 'the VCRC is that of LRH through ICRC'],
  icrc: ['ch. 7: ICRC', 'the ICRC is that of the masked packet'],
  lver: ['ch. 7: LRH', 'link version is 0'],
  'lrh-reserved': ['ch. 7: LRH', 'reserved bits of the LRH are 0'],
  'pkt-len': ['ch. 7: LRH, packet length', 'PktLen counts the words from LRH through ICRC'],
  'pkt-max': ['ch. 7: LRH, packet length', 'a packet is no longer than the port MTU and the largest header'],
  slid: ['ch. 7: LRH', 'SLID is a LID of the sender: its base LID with the path bits'],
  dlid: ['ch. 7: LRH', 'DLID is that of the path'],
  sl: ['ch. 7: LRH', 'SL is that of the path'],
  vl: ['ch. 7: SL to VL', 'VL is what the SL maps to'],
  'grh-present': ['ch. 8: GRH', 'a GRH is there exactly when the path has one'],
  'grh-fixed': ['ch. 8: GRH', 'IP version is 6, next header 0x1B'],
  'pay-len': ['ch. 8: GRH', 'PayLen counts the bytes after the GRH through ICRC'],
  'grh-path': ['ch. 8: GRH', 'GIDs, traffic class, flow label and hop limit are those of the path'],
  tver: ['9.2: BTH', 'transport version is 0'],
  migreq: ['17.2.8: path migration', 'MigReq is 1 without path migration'],
  pkey: ['9.2: BTH', "P_Key is that of the queue pair's table entry"],
  'bth-reserved': ['9.2: BTH', 'reserved bits of the BTH are 0'],
  'dest-qp': ['9.2: BTH', 'the destination is a connected queue pair'],
  opcode: ['9.2: BTH, opcodes', 'the opcode is one of the service, not a reserved one'],
  'opcode-offered': ['contract: capability', 'the device sends only operations that it offers'],
  se: ['9.2: BTH, solicited event', 'SE is set only in packets that end a message taking a receive WQE'],
  'ackreq-response': ['9.2: BTH', 'AckReq is 0 in responses'],
  'pad-count': ['9.2: BTH, pad count', 'there are 0..3 pad bytes, none without payload'],
  'pad-zero': ['9.2: BTH, pad count', 'pad bytes are 0'],
  'payload-size': [
    'ch. 9: requester',
    'first and middle packets carry the path MTU, last 1..MTU, only 0..MTU, others nothing',
  ],
  // Requests of one queue pair.
  'request-psn': [
    'ch. 9: request PSNs',
    'each request packet has the next PSN; a READ takes one for each response',
  ],
  'request-sequence': ['ch. 9: requester', 'packets of a message follow each other: first, middle, last'],
  'request-length': [
    'ch. 9: requester',
    "the payload of a WRITE's packets adds up to the length in its RETH",
  ],
  'reth-max': ['ch. 9: RETH', 'a message is at most 2^31 bytes long'],
  'ack-req': ['ch. 9: requester', 'the last packet of a message asks for an acknowledge'],
  'ack-interval': ['contract: 16 packets', 'at least every 16th packet of a message asks for an acknowledge'],
  'read-depth': ['ch. 9: requester', 'no more READs and atomics are outstanding than the initiator depth'],
  inflight: ['contract: 2^log_inflight', 'no more messages are outstanding than the device keeps'],
  'psn-window': ['ch. 9: PSN window', 'at most 2^23 PSNs are outstanding'],
  'credits-kept': [
    'ch. 9: end-to-end credits; contract: LSN + 1',
    'a message that takes a receive WQE starts within the credits heard, or one beyond them',
  ],
  // A queue pair that goes back.
  'go-back': ['ch. 9: retry', 'a queue pair goes back only for a reason'],
  'go-back-psn': [
    'ch. 9: retry',
    'a queue pair goes back to the oldest PSN that is not acknowledged, or the next one that a READ needs',
  ],
  'go-back-owed': ['ch. 9: retry', 'after a NAK a queue pair goes back before it goes on'],
  'ack-timeout': [
    'ch. 9: local ACK timeout',
    'without a NAK a queue pair goes back only when its timer may have run out',
  ],
  'rnr-wait': ['ch. 9: RNR NAK timer', 'after an RNR NAK nothing is sent for the time that it says'],
  'retry-count': ['ch. 9: retry counter', 'a queue pair goes back no more often than its tries'],
  'rnr-retry-count': [
    'ch. 9: RNR retry counter',
    'a queue pair goes back after RNR NAKs no more often than its tries',
  ],
  'resent-same': [
    'ch. 9: retry',
    'a packet that is sent again has the opcode, the headers and the payload of before',
  ],
  'resent-read': ['ch. 9: retry', 'a READ is asked again for what is missing: its RETH moves by whole MTUs'],
  'silent-after-error': ['ch. 10: queue pair states', 'a queue pair in Error or destroyed sends nothing'],
  // Responses of one queue pair.
  'response-unasked': ['ch. 9: responses', 'a response answers a request packet that came'],
  'response-of-sent': ['ch. 9: responses', 'no response has a PSN newer than what came in order'],
  'response-order': ['ch. 9: responses', 'responses leave in the order of their PSNs'],
  'ack-passes-read': ['ch. 9: responses', 'an ACK or NAK covers no READ or atomic that is not answered yet'],
  'ack-of-invalid': [
    'ch. 9: responder checks',
    'a packet that breaks the rules is answered by NAK invalid request',
  ],
  'read-response-psn': ['ch. 9: responses', 'READ responses have the PSNs of their READ, one after another'],
  'read-response-opcode': ['ch. 9: responses', 'READ responses are first, middle ..., last; or only'],
  'read-response-length': [
    'ch. 9: responses',
    'READ responses carry what was asked for, all but the last one MTU',
  ],
  'atomic-response': [
    'ch. 9: responses',
    'an atomic is answered by an ATOMIC acknowledge, a READ by READ responses',
  ],
  msn: ['ch. 9: MSN', 'MSN counts the request messages completed, modulo 2^24'],
  syndrome: [
    'ch. 9: AETH syndromes',
    'the syndrome is defined; READ and atomic responses carry that of an ACK',
  ],
  'nak-psn': [
    'ch. 9: AETH syndromes',
    'a NAK has the PSN of the packet refused, which was not acknowledged before',
  ],
  'nak-gap': ['ch. 9: AETH syndromes', 'a NAK of PSN sequence follows a gap, with the PSN expected'],
  'one-nak-per-gap': ['ch. 9: AETH syndromes', 'a gap is NAKed once'],
  'nak-fits': [
    'ch. 9: AETH syndromes',
    'RNR NAK answers what takes a receive WQE, NAK remote access what names an R_Key',
  ],
  'rnr-timer': ['ch. 9: RNR NAK timer', 'the timer of an RNR NAK is that of the queue pair'],
  'read-again': ['ch. 9: duplicates', 'a READ that came again is answered with the same bytes'],
  'atomic-again': ['ch. 9: duplicates', 'an atomic that came again is answered with what it found at first'],
  'atomic-chain': ['ch. 9: atomics', 'what the atomics on a word found is what they find one after another'],
  'credits-told': [
    'ch. 9: end-to-end credits',
    'no more credits are told than there are receive WQEs, and none by a device that counts none',
  ],
  'error-once': ['ch. 9: responder checks', 'after a fatal NAK a queue pair answers nothing'],
  // At the end.
  'owed-ack': ['ch. 9: acknowledge', 'each packet with AckReq is acknowledged in the end'],
  'owed-read': ['ch. 9: responses', 'each READ and atomic is answered in the end'],
  'owed-nak': ['ch. 9: AETH syndromes', 'each gap and each invalid packet is NAKed in the end'],
  'owed-retry': ['ch. 9: local ACK timeout', 'what was sent is acknowledged in the end'],
  'owed-message': ['ch. 9: requester', 'each message that was started is finished'],
} as const satisfies Record<string, readonly [clause: string, text: string]>;

export type RuleName = keyof typeof RULES;

export const RULE_NAMES = Object.keys(RULES) as RuleName[];

export interface Violation {
  rule: RuleName;
  clause: string;
  /** What the rule says. */
  text: string;
  cycle: number;
  /** Index of the packet in the order in which the checker saw them; -1 at the end. */
  index: number;
  sender: 0 | 1;
  packet: string;
  expected: string;
  found: string;
}

/** Takes a break of a rule by the packet at hand. */
export type Report = (rule: RuleName, expected: string | number, found: string | number) => void;

export const formatViolation = (v: Violation): string =>
  `cycle ${v.cycle}, packet ${v.index} of device ${v.sender} (${v.packet}): ` +
  `${v.rule}: ${v.text} [${v.clause}]: expected ${v.expected}, found ${v.found}`;
