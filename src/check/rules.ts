/** The rules of the wire, by name. A clause names the part of IBA vol. 1 the rule is from, or our own contract. */
export const RULES = {
  // Every packet.
  decodable: ['7.6, 9.2', 'a packet is an IBA packet that holds all headers of its opcode'],
  vcrc: ['7.8.2', 'the VCRC is that of LRH through ICRC'],
  icrc: ['7.8.1', 'the ICRC is that of the masked packet'],
  lver: ['7.7', 'link version is 0'],
  'lrh-reserved': ['7.7', 'reserved bits of the LRH are 0'],
  'pkt-len': ['7.7.8', 'PktLen counts the words from LRH through ICRC'],
  'pkt-max': ['7.7.8', 'a packet is no longer than the port MTU and the largest header'],
  slid: ['7.7', 'SLID is a LID of the sender: its base LID with the path bits'],
  dlid: ['7.7', 'DLID is that of the path'],
  sl: ['7.7', 'SL is that of the path'],
  vl: ['7.6.6', 'VL is what the SL maps to'],
  'grh-present': ['8.3', 'a GRH is there exactly when the path has one'],
  'grh-fixed': ['8.3', 'IP version is 6, next header 0x1B'],
  'pay-len': ['8.3', 'PayLen counts the bytes after the GRH through ICRC'],
  'grh-path': ['8.3', 'GIDs, traffic class, flow label and hop limit are those of the path'],
  tver: ['9.2', 'transport version is 0'],
  migreq: ['17.2.8', 'MigReq is 1 without path migration'],
  pkey: ['9.2', "P_Key is that of the queue pair's table entry"],
  'bth-reserved': ['9.2', 'reserved bits of the BTH are 0'],
  'dest-qp': ['9.2', 'the destination is a connected queue pair'],
  opcode: ['9.2.1', 'the opcode is one of the service, not a reserved one'],
  'opcode-offered': ['contract: capability', 'the device sends only operations that it offers'],
  se: ['9.2.3', 'SE is set only in packets that end a message taking a receive WQE'],
  'ackreq-response': ['9.2', 'AckReq is 0 in responses'],
  'pad-count': ['9.2.5', 'there are 0..3 pad bytes, none without payload'],
  'pad-zero': ['9.2.5', 'pad bytes are 0'],
  'payload-size': [
    '9.7.3',
    'first and middle packets carry the path MTU, last 1..MTU, only 0..MTU, others nothing',
  ],
  // Requests of one queue pair.
  'request-psn': ['9.7.3.1', 'each request packet has the next PSN; a READ takes one for each response'],
  'request-sequence': ['9.7.3', 'packets of a message follow each other: first, middle, last'],
  'request-length': ['9.7.3', "the payload of a WRITE's packets adds up to the length in its RETH"],
  'reth-max': ['9.3.3', 'a message is at most 2^31 bytes long'],
  'atomic-aligned': ['9.4.5', 'the address of an atomic is a multiple of 8'],
  'ack-req': ['9.7.3', 'the last packet of a message asks for an acknowledge'],
  'ack-interval': ['contract: 16 packets', 'at least every 16th packet of a message asks for an acknowledge'],
  'read-depth': ['9.7.3', 'no more READs and atomics are outstanding than the initiator depth'],
  inflight: ['contract: 2^log_inflight', 'no more messages are outstanding than the device keeps'],
  'psn-window': ['9.7.1', 'at most 2^23 PSNs are outstanding'],
  'silent-after-error': ['10.3.1', 'a queue pair in Error or destroyed sends nothing'],
  // Responses of one queue pair.
  'response-unasked': ['9.7.5', 'a response answers a request packet that came'],
  'response-of-sent': ['9.7.5', 'no response has a PSN newer than what came in order'],
  'response-order': ['9.7.5', 'responses leave in the order of their PSNs'],
  'ack-passes-read': ['9.7.5', 'an ACK or NAK covers no READ or atomic that is not answered yet'],
  'ack-of-invalid': ['9.7.4', 'a packet that breaks the rules is answered by NAK invalid request'],
  'read-response-psn': ['9.7.5', 'READ responses have the PSNs of their READ, one after another'],
  'read-response-opcode': ['9.7.5', 'READ responses are first, middle ..., last; or only'],
  'read-response-length': ['9.7.5', 'READ responses carry what was asked for, all but the last one MTU'],
  'atomic-response': ['9.7.5', 'an atomic is answered by an ATOMIC acknowledge, a READ by READ responses'],
  msn: ['9.7.7.1', 'MSN counts the request messages completed, modulo 2^24'],
  syndrome: ['9.7.5.2', 'the syndrome is defined; READ and atomic responses carry that of an ACK'],
  credits: ['contract: credits 31', 'an ACK tells no credits'],
  'nak-psn': ['9.7.5.2', 'a NAK has the PSN of the packet refused, which was not acknowledged before'],
  'nak-gap': ['9.7.5.2', 'a NAK of PSN sequence follows a gap, with the PSN expected'],
  'one-nak-per-gap': ['9.7.5.2', 'a gap is NAKed once'],
  'nak-fits': ['9.7.5.2', 'RNR NAK answers what takes a receive WQE, NAK remote access what names an R_Key'],
  'rnr-timer': ['9.7.5.2.8', 'the timer of an RNR NAK is at least that of the queue pair'],
  'error-once': ['9.7.4', 'after a fatal NAK a queue pair answers nothing'],
  // At the end.
  'owed-ack': ['9.7.5.1', 'each packet with AckReq is acknowledged in the end'],
  'owed-read': ['9.7.5', 'each READ and atomic is answered in the end'],
  'owed-nak': ['9.7.5.2', 'each gap and each invalid packet is NAKed in the end'],
  'owed-message': ['9.7.3', 'each message that was started is finished'],
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
