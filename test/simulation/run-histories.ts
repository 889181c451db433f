import { copyTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { ExpectedStates } from './expected-state.ts'
import { History } from './history.ts'
import { Lane, makeQueueTables } from './lane.ts'
import { createChainLibrary } from './recorded-chains.ts'

/** Histories mostly wait for lease expiry or server responses, so many can share two cores. */
const laneCount = 8

/** Stops after this many failures. */
const maxFailures = 3

/** Shared state of the histories in a test file. */
export class Simulation {
  readonly #library: TestDatabase
  readonly #databases: TestDatabase[] = []
  readonly #lanes: Lane[] = []
  readonly #expected = new ExpectedStates()

  private constructor(library: TestDatabase) {
    this.#library = library
  }

  static async open(): Promise<Simulation> {
    const library = await createChainLibrary()
    await makeQueueTables(library.url)
    const simulation = new Simulation(library)
    for (let i = 0; i < laneCount; i++) {
      const database = await copyTestDatabase(library)
      simulation.#databases.push(database)
      simulation.#lanes.push(await Lane.open(database))
    }
    return simulation
  }

  /**
   * Runs the history of every seed, many concurrently. @throws HistoryFailure of the first failure
   */
  async run(seeds: readonly number[]): Promise<void> {
    const waiting = [...seeds]
    const failures: unknown[] = []
    await Promise.all(
      this.#lanes.map(async (lane) => {
        for (let seed = waiting.shift(); seed !== undefined && failures.length < maxFailures; seed = waiting.shift()) {
          try {
            await lane.clear()
            await new History(seed, lane, this.#expected).run()
          } catch (error) {
            failures.push(error)
          }
        }
      }),
    )
    if (failures.length === 1) throw failures[0]
    if (failures.length > 1)
      throw new AggregateError(
        failures,
        failures.map((failure) => (failure instanceof Error ? failure.message : String(failure))).join('\n\n'),
      )
  }

  async close(): Promise<void> {
    for (const lane of this.#lanes) await lane.close()
    for (const database of this.#databases) await database.drop()
    await this.#library.drop()
    await this.#expected.drop()
  }
}
