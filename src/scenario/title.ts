import { ACTIONS, type Step } from './steps.ts';

/** The action of a step. */
export const actionOf = (step: Step) => ACTIONS.find((action) => step[action] !== undefined)!;

/** A step in a line. */
export function titleOf(step: Step): string {
  const action = actionOf(step);
  const text = `${action} ${detail(step)}`.trim();
  return step.about ? `${text}: ${step.about}` : text;
}

function detail(step: Step): string {
  const { post_send, post_recv, expect_completions, expect_memory, expect_events, modify_qp } = step;
  if (post_send) return counted([post_send].flat(), ({ qp, opcode }) => `${qp} ${opcode}`);
  if (post_recv) return counted([post_recv].flat(), ({ qp }) => qp);
  if (expect_completions) {
    const each = counted(expect_completions.list, ({ status }) => status ?? 'SUCCESS');
    return `${expect_completions.cq}: ${each}`;
  }
  if (expect_memory) return [...new Set([expect_memory].flat().map(({ region }) => region))].join(', ');
  if (expect_events) return `${expect_events.host}: ${counted(expect_events.list, ({ event }) => event)}`;
  if (step.expect_counters) return step.expect_counters.host;
  if (step.expect_qp) return `${step.expect_qp.qp} ${step.expect_qp.state ?? ''}`;
  if (modify_qp) return `${modify_qp.qp} ${modify_qp.state ?? ''}`;
  if (step.inject) return `to ${step.inject.to} ${step.inject.opcode ?? ''}`;
  if (step.arm) return step.arm.cq;
  if (step.resize_cq) return `${step.resize_cq.cq} to ${step.resize_cq.entries}`;
  if (step.fill) return step.fill.region;
  if (step.dereg) return step.dereg;
  if (step.destroy) return Object.values(step.destroy).join();
  if (step.link) return `${step.link.host} ${step.link.up ? 'up' : 'down'}`;
  if (step.doorbell) return `${step.doorbell.host} ${step.doorbell.queue}`;
  if (step.write_register) return `${step.write_register.host} 0x${step.write_register.offset.toString(16)}`;
  return '';
}

function counted<T extends { repeat?: number | undefined }>(list: T[], text: (each: T) => string): string {
  const counts = new Map<string, number>();
  for (const each of list) counts.set(text(each), (counts.get(text(each)) ?? 0) + (each.repeat ?? 1));
  return [...counts].map(([name, count]) => (count === 1 ? name : `${count} x ${name}`)).join(', ');
}
