/** Two cards with the HCA in their FPGAs, as a pair of devices. */

export { BoardDevice } from './board-device.ts';
export { BoardFabric, createBoardFabric } from './board-fabric.ts';
export { BOARD_FILE, type BoardConfig, type CardConfig, loadBoard } from './config.ts';
export { type StandIn, startStandIn } from './stand-in.ts';
