import { expect } from 'chai'
import { ContractGraph } from './graph.ts'

const kind = 'CONTRACT'
const graph = new ContractGraph([
  { contract: 'd', kind, imports: ['b', 'c'] },
  { contract: 'b', kind, imports: ['a', 'outside'] },
  { contract: 'a', kind: null, imports: null },
  { contract: 'c', kind: 'FT', imports: ['a'] },
])

describe('ContractGraph', () => {
  it('returns imports and dependents in order', () => {
    expect(graph.importsOf('d')).to.deep.equal(['b', 'c'])
    expect(graph.dependentsOf('a')).to.deep.equal(['b', 'c'])
    expect(graph.dependentsOf('outside')).to.deep.equal(['b'])
    expect(graph.importsOf('outside')).to.deep.equal([])
    expect(graph.dependentsOf('unheard')).to.deep.equal([])
  })

  it('ranks existing contracts by dependents', () => {
    expect(graph.ranked.map(({ contract, dependents }) => [contract, dependents])).to.deep.equal([
      ['a', 2],
      ['b', 1],
      ['c', 1],
      ['d', 0],
    ])
  })

  it('respects the depth and returns each edge once', () => {
    const near = graph.reach('d', 1, 100)
    expect(near).to.deep.equal({
      nodes: ['b', 'c', 'd'],
      edges: [
        { source: 'd', target: 'b' },
        { source: 'd', target: 'c' },
      ],
      isCut: false,
    })
    const far = graph.reach('d', 3, 100)
    expect(far.nodes).to.deep.equal(['a', 'b', 'c', 'd', 'outside'])
    expect(far.edges.map(({ source, target }) => source + target)).to.deep.equal(['ba', 'boutside', 'ca', 'db', 'dc'])
  })

  it('terminates on import cycles', () => {
    const circle = new ContractGraph([
      { contract: 'x', kind, imports: ['y'] },
      { contract: 'y', kind, imports: ['x', 'x'] },
    ])
    expect(circle.reach('x', 3, 100).nodes).to.deep.equal(['x', 'y'])
    expect(circle.dependentsOf('x')).to.deep.equal(['y'])
  })

  it('respects the node limit and reports truncation', () => {
    const cut = graph.reach('d', 3, 3)
    expect(cut.isCut).to.equal(true)
    expect(cut.nodes).to.deep.equal(['b', 'c', 'd'])
    for (const { source, target } of cut.edges) expect(cut.nodes).to.include.members([source, target])
  })
})
