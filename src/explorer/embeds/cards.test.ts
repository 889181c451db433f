import { expect } from 'chai'
import { badgeSvg, cardPage, withPreview } from './cards.ts'
import type { Summary } from './summaries.ts'

const hostile = `"><script>alert('1')</script>$&`
const summary: Summary = {
  kind: 'token',
  title: hostile,
  description: hostile,
  path: '/token/A.1654653399040a61.FlowToken',
  facts: [[hostile, hostile]],
  label: hostile,
  message: hostile,
  tone: 'neutral',
}
const page = '<html><head><meta name="description" content="old"><title>old</title></head><body></body></html>'

describe('previews, cards and badges', () => {
  it('show untrusted names as text', () => {
    for (const text of [
      withPreview(page, summary, 'https://explorer.example'),
      cardPage(summary, 'https://explorer.example', hostile),
      badgeSvg(summary),
    ]) {
      expect(text).to.not.include('<script').and.not.include(`alert('`)
      expect(text).to.include('&lt;script&gt;').and.include('$&amp;')
    }
  })

  it('replace the title and description of the page', () => {
    const html = withPreview(page, { ...summary, title: 'Flow', description: 'A token' }, 'https://explorer.example')
    expect(html).to.include('<title>Flow – flowfarm</title>').and.include('<meta name="description" content="A token">')
    expect(html).to.include(
      '<meta property="og:url" content="https://explorer.example/token/A.1654653399040a61.FlowToken">',
    )
    expect(html).to.not.include('old')
  })
})
