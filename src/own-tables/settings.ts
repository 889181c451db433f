import { boolean, optionalText } from '../platform/setting.ts'
import type { Setting } from '../platform/setting.ts'

const group = 'Own tables'

export const ownTablesSettings = {
  WORKERS_DIR: optionalText({
    group,
    description:
      'Folder of your workers, each a folder in it. Relative to the folder of flowfarm. Create one with npm run ' +
      'worker -- init.',
  }),
  WORKERS_RELOAD: boolean({
    group,
    default: false,
    description:
      'For development: load workers when their files change, and derive their tables again. Otherwise changed code ' +
      'needs a higher version.',
  }),
} satisfies Record<string, Setting<unknown>>
