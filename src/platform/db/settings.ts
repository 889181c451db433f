import { optionalInteger, optionalUrl, text } from '../setting.ts'
import type { Setting } from '../setting.ts'

const group = 'Database'

/** Settings of the database. */
export const databaseSettings = {
  DB_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['postgres', 'postgresql'],
    description: 'PostgreSQL 15 or newer. Without it flowfarm starts a PostgreSQL 18 of its own in DATA_FOLDER.',
  }),
  DB_READ_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['postgres', 'postgresql'],
    description:
      'Where the API and the live feeds read: a hot standby of the database of DB_URL, or a pooler ' +
      'before it. Without it from DB_URL, to which all else goes in any case.',
  }),
  DATA_FOLDER: text({
    group,
    default: '.flowfarm',
    description: 'Folder of the PostgreSQL that flowfarm starts itself. Unused when DB_URL is set.',
  }),
  DB_MAX_OPEN_CONNS: optionalInteger({
    group,
    min: 4,
    max: 1000,
    unit: 'connections',
    description:
      'Most connections that one process opens for queries; the ingesters and listeners keep a few ' +
      'more of their own. Without it 20; for the farm 12 to 30, by the concurrency of its workers.',
  }),
  DB_MAX_IDLE_CONNS: optionalInteger({
    group,
    min: 0,
    max: 1000,
    unit: 'connections',
    description:
      'Connections for queries that are kept open when idle. Without it all are closed after a minute of idleness.',
  }),
} satisfies Record<string, Setting<unknown>>
