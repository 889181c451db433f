import { expect } from 'chai'
import { drawColumns, graphLayers, boxHeight, drawRows } from './contract-graph-layout.ts'
import type { Edge, GraphDrawing } from './contract-graph-layout.ts'

function edgesOf(text: string): Edge[] {
  return text.split(' ').map((pair) => {
    const [source = '', target = ''] = pair.split('>')
    return { source, target }
  })
}

function nodesOf(edges: readonly Edge[]): string[] {
  return [...new Set(edges.flatMap(({ source, target }) => [source, target]))]
}

function expectApart({ boxes, boxWidth, width, height }: GraphDrawing): void {
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

describe('graphs of dependencies', () => {
  it('put a contract behind all that import it, by the longest way', () => {
    const layers = graphLayers('root', edgesOf('root>a root>b a>b b>c user>root other>user other>root'))
    expect(Object.fromEntries(layers)).to.deep.equal({ root: 0, a: 1, b: 2, c: 3, user: -1, other: -2 })
  })

  it('end where imports go in circles, and leave out what hangs on nothing', () => {
    const layers = graphLayers('root', edgesOf('root>a a>b b>a b>root x>y'))
    expect([...layers.keys()].toSorted()).to.deep.equal(['a', 'b', 'root'])
  })

  it('have no box upon another, and lines from left to right', () => {
    const edges = edgesOf('root>a root>b root>c root>d a>d b>d d>e root>e user>root user>e user>a')
    const drawing = drawColumns(nodesOf(edges), edges, graphLayers('root', edges))
    expectApart(drawing)
    expect(drawing.boxes.size).to.equal(7)
    expect(drawing.lines).to.have.lengthOf(edges.length)
    for (const { source, target } of drawing.lines) {
      expect(drawing.boxes.get(source)?.x).to.be.below(drawing.boxes.get(target)?.x ?? 0)
    }
  })

  it('fit into any width as rows', () => {
    const edges = edgesOf('root>a root>b root>c a>c b>c user>root')
    const drawing = drawRows(nodesOf(edges), edges, graphLayers('root', edges), 300)
    expectApart(drawing)
    expect([...drawing.boxes.keys()][0]).to.equal('user')
    expect(drawing.lines).to.have.lengthOf(6)
  })
})
