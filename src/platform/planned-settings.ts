import { list } from './setting.ts'
import type { Setting } from './setting.ts'

/**
 * Variables of parts that are not built yet. They are checked like all others, so that a configuration written for
 * the whole program is accepted, and they change nothing until their part exists. A part that is built moves its
 * variables to `config.ts`.
 */

/** Heading of all variables that change nothing yet, those of workers that do not exist among them. */
export const plannedGroup = 'Checked, without effect so far'
const group = plannedGroup

export const plannedSettings = {
  API_RATE_LIMIT_TRUSTED_ORIGINS: list({
    group,
    description:
      'Origins with a higher limit. Any program can name any origin, so none is trusted: use API_RATE_LIMIT_TRUSTED_ADDRESSES, or developer keys.',
  }),
} satisfies Record<string, Setting<unknown>>
