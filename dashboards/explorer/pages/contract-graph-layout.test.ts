import { expect } from 'chai'
import { layOutColumns, graphLayers, boxHeight, layOutRows } from './contract-graph-layout.ts'
import type { Edge, GraphLayout } from './contract-graph-layout.ts'

function edgesOf(text: string): Edge[] {
  return text.split(' ').map((pair) => {
    const [source = '', target = ''] = pair.split('>')
    return { source, target }
  })
}

function nodesOf(edges: readonly Edge[]): string[] {
  return [...new Set(edges.flatMap(({ source, target }) => [source, target]))]
}

function expectApart({ boxes, boxWidth, width, height }: GraphLayout): void {
  const all = [...boxes.values()]
  for (const [i, a] of all.entries()) {
    expect(a.x).to.be.within(0, width - boxWidth)
    expect(a.y).to.be.within(0, height - boxHeight)
    for (const b of all.slice(i + 1)) {
      expect(Math.abs(a.x - b.x) >= boxWidth || Math.abs(a.y - b.y) >= boxHeight, 'boxes lie on each other').to.equal(
        true,
      )
    }
  }
}

describe('dependency graphs', () => {
  it('place a contract after all its importers', () => {
    const layers = graphLayers('root', edgesOf('root>a root>b a>b b>c user>root other>user other>root'))
    expect(Object.fromEntries(layers)).to.deep.equal({ root: 0, a: 1, b: 2, c: 3, user: -1, other: -2 })
  })

  it('handle cycles and omit unconnected contracts', () => {
    const layers = graphLayers('root', edgesOf('root>a a>b b>a b>root x>y'))
    expect([...layers.keys()].toSorted()).to.deep.equal(['a', 'b', 'root'])
  })

  it('have no overlapping boxes, and edges from left to right', () => {
    const edges = edgesOf('root>a root>b root>c root>d a>d b>d d>e root>e user>root user>e user>a')
    const drawing = layOutColumns(nodesOf(edges), edges, graphLayers('root', edges))
    expectApart(drawing)
    expect(drawing.boxes.size).to.equal(7)
    expect(drawing.lines).to.have.lengthOf(edges.length)
    for (const { source, target } of drawing.lines) {
      expect(drawing.boxes.get(source)?.x).to.be.below(drawing.boxes.get(target)?.x ?? 0)
    }
  })

  it('fit any width as rows', () => {
    const edges = edgesOf('root>a root>b root>c a>c b>c user>root')
    const drawing = layOutRows(nodesOf(edges), edges, graphLayers('root', edges), 300)
    expectApart(drawing)
    expect([...drawing.boxes.keys()][0]).to.equal('user')
    expect(drawing.lines).to.have.lengthOf(6)
  })
})
