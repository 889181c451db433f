import { expect } from 'chai'
import { ApiError } from '../errors.ts'
import { notFoundPage } from './not-found-page.ts'

const unknown = new ApiError(404, 'unknown-path', 'There is nothing here.')
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const page = (
  accept: string | undefined,
  {
    method = 'GET',
    url = '/x',
    error = unknown,
    home,
  }: { method?: string; url?: string; error?: ApiError; home?: string } = {},
): string | undefined =>
  notFoundPage({ method, url, headers: accept === undefined ? {} : { accept } }, error, home)?.html

describe('not-found page', () => {
  it('is served only for unknown paths, to clients that request HTML by GET or HEAD', () => {
    for (const accept of [browser, 'text/html', 'TEXT/HTML;q=0.5', 'application/json;q=0.1, text/html;level=1;q=0.2'])
      expect(page(accept), accept).to.include('Page not found')
    for (const accept of [
      undefined,
      '',
      '*/*',
      'text/*',
      'application/json',
      'application/problem+json, text/html;q=0.9',
      'text/html;q=0',
      'text/html;q=x',
      'text/htmlx',
    ])
      expect(page(accept), accept).to.equal(undefined)
    expect(page(browser, { method: 'HEAD' })).to.be.a('string')
    expect(page(browser, { method: 'POST' })).to.equal(undefined)
    expect(page(browser, { error: new ApiError(404, 'no-block', 'There is no such block.') })).to.equal(undefined)
  })

  it('shows the path as text, truncated if long, without the query', () => {
    const html = page(browser, { url: '/<script>alert(1)</script>"\'&?token=secret' }) ?? ''
    expect(html).to.include('/&lt;script&gt;').and.not.to.include('<script').and.not.to.include('secret')
    expect(page(browser, { url: `/${'a'.repeat(20_000)}` })).to.have.length.below(2000)
  })

  it('links to the start page if there is one, and not to itself', () => {
    expect(page(browser, { home: '/' })).to.include('href="/"')
    expect(page(browser, { home: '/', url: '/' })).not.to.include('href')
    expect(page(browser)).not.to.include('href')
  })
})
