import { constants, getPriority, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL: lower } = constants.priority

/**
 * Has whatever else wants a processor go first (nice 10, of this thread and those that it starts from now on): of what answers the statements of
 * strangers, so that the explorer and the head of the chain stay fast however many ask. A machine with idle processors is as fast as before.
 */
export function yieldToOthers(): void {
  if (getPriority() < lower) setPriority(lower)
}
