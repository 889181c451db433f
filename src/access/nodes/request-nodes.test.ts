import { expect } from 'chai'
import { selectNode, rootAbove } from './request-nodes.ts'
import type { Candidate } from './request-nodes.ts'

type Named = Candidate & { readonly name: string }

function node(name: string, known: Partial<Candidate> = {}): Named {
  const rootHeight = known.rootHeight
  return {
    name,
    rootHeight,
    headHeight: undefined,
    restingForMs: 0,
    isOnTrial: false,
    waitMs: 0,
    inFlight: 0,
    lastUsed: 0,
    mayServe: (height) => (rootHeight ?? 0) <= height,
    ...known,
  }
}

function choice(nodes: readonly Named[], height = 500, tried: readonly Named[] = []): string | undefined {
  return selectNode(nodes, height, new Set(tried))?.name
}

describe('selectNode', () => {
  const old = node('old', { rootHeight: 100 })
  const young = node('young', { rootHeight: 400 })
  const unknown = node('unknown')

  it('selects the highest root at or below the height, then a node with an unknown root', () => {
    expect(choice([unknown, old, young], 500)).to.equal('young')
    expect(choice([unknown, old, young], 399)).to.equal('old')
    expect(choice([unknown, old, young], 99)).to.equal('unknown')
    expect(choice([old, young], 99)).to.equal(undefined)
  })

  it('skips nodes already tried', () => {
    expect(choice([old, young, unknown], 500, [young])).to.equal('old')
    expect(choice([old, young], 500, [young, old])).to.equal(undefined)
  })

  it('selects a paused node only as a last resort, shortest pause first', () => {
    expect(choice([{ ...young, restingForMs: 10 }, unknown])).to.equal('unknown')
    expect(choice([node('long', { restingForMs: 900 }), node('short', { restingForMs: 10 })])).to.equal('short')
  })

  it('limits a node on trial to one request at a time', () => {
    const onTrial = node('on trial', { isOnTrial: true })
    expect(choice([onTrial, node('busy', { inFlight: 9 })])).to.equal('on trial')
    expect(choice([{ ...onTrial, inFlight: 1 }, node('busy', { inFlight: 9 })])).to.equal('busy')
  })

  it('avoids nodes at their rate limit and nodes that lag behind', () => {
    expect(choice([node('at its rate', { waitMs: 200 }), node('busy', { inFlight: 9 })])).to.equal('busy')
    expect(choice([node('behind', { headHeight: 499 }), node('ahead', { headHeight: 500, inFlight: 9 })])).to.equal(
      'ahead',
    )
  })

  it('balances equal nodes by load, then by last use', () => {
    expect(choice([node('a', { inFlight: 2 }), node('b', { inFlight: 1 })])).to.equal('b')
    expect(choice([node('a', { lastUsed: 5 }), node('b', { lastUsed: 3 })])).to.equal('b')
  })
})

describe('rootAbove', () => {
  it('returns the lowest root above a height', () => {
    expect(rootAbove([{ rootHeight: 400 }, { rootHeight: 100 }, { rootHeight: undefined }], 99)).to.equal(100)
    expect(rootAbove([{ rootHeight: 400 }, { rootHeight: 100 }], 100)).to.equal(400)
    expect(rootAbove([{ rootHeight: 100 }], 100)).to.equal(undefined)
  })
})
