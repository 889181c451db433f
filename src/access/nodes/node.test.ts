import { expect } from 'chai'
import { AccessNode } from './node.ts'
import { RateLimit } from './rate-limit.ts'

describe('AccessNode', () => {
  it('doubles the pause after each distrust, regardless of responses in between', () => {
    const transport = {
      endpoint: 'node',
      unary: () => Promise.resolve(Buffer.alloc(0)),
      close: () => Promise.resolve(),
    }
    const node = new AccessNode(transport, new RateLimit())
    for (const maxMs of [250, 500, 1_000, 2_000]) {
      node.distrust('its block 7 has another parent')
      node.recovered()
      expect(node.restingForMs).to.be.within(maxMs / 2 - 50, maxMs)
    }
    expect(node.status().resting?.reason).to.equal('its block 7 has another parent')
  })
})
