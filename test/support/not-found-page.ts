import { expect } from 'chai'

/** The headers of a browser navigation. */
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/**
 * Expects an HTML page for browsers and a problem document for programs at unknown paths. @param
 * url of a service, without a trailing slash
 */
export async function expectNotFoundPage(url: string, path = '/no/such<page>'): Promise<void> {
  const page = await fetch(`${url}${path}`, { headers: { Accept: browserAccept } })
  expect([page.status, page.headers.get('content-type'), page.headers.get('cache-control')], url).to.deep.equal([
    404,
    'text/html; charset=utf-8',
    'no-store',
  ])
  expect(page.headers.get('vary')).to.match(/\bAccept\b/)
  expect(page.headers.get('content-security-policy')).to.match(/^default-src 'none'; style-src 'sha256-/)
  expect(await page.text())
    .to.include('Page not found')
    .and.not.to.include('<page>')
  const problem = await fetch(`${url}${path}`)
  expect(problem.headers.get('content-type')).to.match(/^application\/(?:problem\+)?json/)
  expect(problem.status).to.equal(404)
}
