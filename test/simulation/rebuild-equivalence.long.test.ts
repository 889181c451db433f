import { Simulation } from './run-histories.ts'

/** SIMULATION_FIRST: the first seed, to try others than the last time; SIMULATION_COUNT: how many. */
const first = Number(process.env['SIMULATION_FIRST'] ?? 31)
const count = Number(process.env['SIMULATION_COUNT'] ?? 2970)

describe('rebuild equivalence, for long', function (this: Mocha.Suite) {
  this.timeout(3_600_000)
  let simulation: Simulation | undefined
  before(async () => {
    simulation = await Simulation.open()
  })
  after(() => simulation?.close())

  it(`holds after the random histories of the seeds ${first} to ${first + count - 1}`, async () => {
    await simulation?.run(Array.from({ length: count }, (_, i) => first + i))
  })
})
