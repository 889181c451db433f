import { expect } from 'chai'
import { drawPlan } from './draw-plan.ts'
import type { PlanWorld } from './draw-plan.ts'

const world: PlanWorld = { processes: ['web', 'chain', 'worker'], nodes: 2, hasSmallDisk: true }
const acts = (seed: number, count: number, where = world) => drawPlan(seed, where).take(count).toArray()

describe('the plan of a chaos run', () => {
  it('is deterministic for a seed and differs between seeds', () => {
    expect(acts(7, 100)).to.deep.equal(acts(7, 100))
    expect(acts(7, 20)).to.not.deep.equal(acts(8, 20))
  })

  it('contains every kind of act in the first round and kills every process', () => {
    const first = acts(1, 23).map(({ act }) => act)
    expect(new Set(first.map(({ kind }) => kind))).to.deep.equal(
      new Set([
        'kill',
        'terminate',
        'freeze',
        'clock',
        'postgres',
        'queue',
        'fork',
        'node-fault',
        'node-kill',
        'node-behind',
        'halt',
        'receiver',
        'disk',
        'wallet-node',
      ]),
    )
    const killed = first.flatMap((act) => (act.kind === 'kill' ? act.processes : []))
    expect(killed.toSorted()).to.deep.equal(['chain', 'chain', 'web', 'web', 'worker', 'worker'])
  })

  it('combines faults but freezes only one process at a time', () => {
    const drawn = acts(3, 300)
    expect(drawn.filter(({ second }) => second !== undefined).length).to.be.within(50, 150)
    expect(drawn.filter(({ act, second }) => act.kind === 'freeze' && second !== undefined)).to.deep.equal([])
  })

  it('does not fill a disk without a size limit', () => {
    expect(acts(1, 200, { ...world, hasSmallDisk: false }).filter(({ act }) => act.kind === 'disk')).to.deep.equal([])
  })
})
