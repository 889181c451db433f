import { optionalInteger, optionalUrl, text } from '../setting.ts'
import type { Setting } from '../setting.ts'

const group = 'Database'

export const databaseSettings = {
  DB_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['postgres', 'postgresql'],
    description: 'PostgreSQL 15 or newer. Default: an embedded PostgreSQL 18 in DATA_FOLDER.',
  }),
  DB_READ_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['postgres', 'postgresql'],
    description:
      'Database for reads of the API and the live feeds: a hot standby of DB_URL, or a pooler ' +
      'in front of it. Default: DB_URL.',
  }),
  DATA_FOLDER: text({
    group,
    default: '.flowfarm',
    description: 'Folder of the embedded PostgreSQL. Ignored if DB_URL is set.',
  }),
  DB_MAX_OPEN_CONNS: optionalInteger({
    group,
    min: 4,
    max: 1000,
    unit: 'connections',
    description:
      'Maximum query connections per process; ingesters and listeners use a few ' +
      'more. Default 20; for the farm 3 more than the highest concurrency of its workers.',
  }),
  DB_MAX_IDLE_CONNS: optionalInteger({
    group,
    min: 0,
    max: 1000,
    unit: 'connections',
    description: 'Query connections kept open when idle. By default all idle connections are closed after a minute.',
  }),
} satisfies Record<string, Setting<unknown>>
