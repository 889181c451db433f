/** Work on the database that nobody waits for, done by the clock by one process of the farm at a time. */
export interface UpkeepJob {
  /** Lower case, dashes. */
  readonly name: string
  /** When it runs besides shortly after every start; five fields, UTC. */
  readonly cron: string
  /** Safe to do twice, since a process can die after it. @returns what it did, for the log */
  readonly run: () => Promise<Readonly<Record<string, number>>>
}
