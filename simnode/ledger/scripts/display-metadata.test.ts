import { expect } from 'chai'
import { collections } from '../world/collections.ts'
import { tokens } from '../world/tokens.ts'
import { bannerPicture, itemPicture, tokenPicture } from './display-metadata.ts'

function drawingOf(address: string): string {
  const [, base64 = ''] = /^data:image\/svg\+xml;base64,([A-Za-z0-9+/=]+)$/.exec(address) ?? []
  return Buffer.from(base64, 'base64').toString('utf8')
}

describe('ledger pictures', () => {
  it('are small data URLs that are rarely equal', () => {
    for (const collection of collections) {
      const pictures = Array.from({ length: 200 }, (_, nth) => itemPicture(collection, nth + 1))
      for (const picture of pictures) {
        expect(picture.length).to.be.below(5000)
        expect(drawingOf(picture))
          .to.match(/^<svg [^>]+>.+<\/svg>$/)
          .and.not.match(/undefined|NaN/)
      }
      expect(new Set(pictures).size, collection.name).to.be.above(180)
      expect(drawingOf(bannerPicture(collection))).to.include('viewBox="0 0 480 120"')
    }
    for (const token of tokens) expect(drawingOf(tokenPicture(token))).to.include(`>${token.symbol.charAt(0)}</text>`)
  })
})
