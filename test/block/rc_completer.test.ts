import { describe, expect, it } from 'vitest';
import { QpState } from '../../src/spec/gen/enums.ts';
import { QPC } from '../../src/spec/gen/records.ts';
import { lanes, openBlock } from '../support/block.ts';
import { struct } from '../support/block-structs.ts';

const CTL_RTS = 2;
const PSN = 0xffffff;
const QP = 3;

/** A queue pair in RTS with one packet sent and not acknowledged. */
async function waiting() {
  const block = await openBlock('rc_completer', { QPS: 8 });
  const seen = { timeouts: 0, orders: 0 };
  let asked = false;
  block.agent(
    () => {
      block.set('s_cfg_valid', asked ? 1 : 0);
    },
    () => {
      asked = block.num('m_cfg_valid') === 1;
      seen.timeouts += block.num('m_timeout_valid');
      seen.orders += block.num('m_order_valid');
    },
  );
  block.set('cap_retry', 1);
  block.set('s_cfg_data', lanes(QPC.pack({ state: QpState.RTS, retryCount: 7, rnrRetry: 7, ackTimeout: 8 })));
  for (const name of ['m_wake_ready', 'm_free_ready', 'm_cmd_ready', 'm_error_ready', 'm_flush_ready'])
    block.set(name, 1);
  block.set('sent_next', (PSN + 1) & 0xffffff);
  block.set('there', 1);
  block.set('s_get', struct('flight_t').pack({ first_psn: PSN, last_psn: PSN }));
  const order = block.source('s_ctl', [{ '': struct('ctl_t').pack({ op: CTL_RTS, qpn: QP, psn: PSN }) }]);
  block.until(() => order.idle, 50, 'the order is taken');
  block.steps(5);
  return { block, seen };
}

describe('rc_completer', () => {
  it('goes back by an expiry of what it waits for, and drops one of before', async () => {
    const { block, seen } = await waiting();
    const timer = block.source('s_timer', [
      { qp: BigInt(QP), rnr: 0n, stamp: 5n },
      { qp: BigInt(QP), rnr: 1n, stamp: 0n },
    ]);
    block.until(() => timer.idle, 100, 'both are taken');
    block.steps(12);
    expect(seen).toEqual({ timeouts: 0, orders: 0 });

    timer.push({ qp: BigInt(QP), rnr: 0n, stamp: 0n });
    block.steps(20);
    expect(seen).toEqual({ timeouts: 1, orders: 1 });

    // The same again: its stamp is an old one now.
    timer.push({ qp: BigInt(QP), rnr: 0n, stamp: 0n });
    block.steps(20);
    expect(seen).toEqual({ timeouts: 1, orders: 1 });
  });

  it('drops an expiry when nothing is owed', async () => {
    const { block, seen } = await waiting();
    block.set('sent_next', PSN);
    const timer = block.source('s_timer', [{ qp: BigInt(QP), rnr: 0n, stamp: 0n }]);
    block.until(() => timer.idle, 100, 'it is taken');
    block.steps(20);
    expect(seen).toEqual({ timeouts: 0, orders: 0 });
  });
});
