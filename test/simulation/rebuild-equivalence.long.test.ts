import { Simulation } from './run-histories.ts'

/** SIMULATION_FIRST: the first seed, to vary runs; SIMULATION_COUNT: the number of seeds. */
const first = Number(process.env['SIMULATION_FIRST'] ?? 16)
const count = Number(process.env['SIMULATION_COUNT'] ?? 2985)

describe('rebuild equivalence (long)', function (this: Mocha.Suite) {
  this.timeout(3_600_000)
  let simulation: Simulation | undefined
  before(async () => {
    simulation = await Simulation.open()
  })
  after(() => simulation?.close())

  it(`holds after random histories of the seeds ${first} to ${first + count - 1}`, async () => {
    await simulation?.run(Array.from({ length: count }, (_, i) => first + i))
  })
})
