import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { ApiError } from '../../../platform/errors.ts'
import { boundedFetch } from './bounded-fetch.ts'

describe('calls of GitHub', () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/moved') response.writeHead(301, { location: '/elsewhere' }).end()
    else if (request.url === '/long') response.end('x'.repeat(5000))
    else if (request.url === '/never') response.writeHead(200)
    else if (request.url === '/nothing') response.writeHead(204).end()
    else response.writeHead(418, { 'content-type': 'application/json', 'x-own': 'yes' }).end('{"a":1}')
  })
  let origin = ''
  before(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const codeOf = async (path: string, options = {}): Promise<string> =>
    boundedFetch(
      [origin],
      options,
    )(path).then(
      () => 'answered',
      (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
    )

  it('give the answer as it is', async () => {
    const answer = await boundedFetch([origin])(`${origin}/x`)
    expect([answer.status, answer.headers.get('x-own'), await answer.json()]).to.deep.equal([418, 'yes', { a: 1 }])
    expect((await boundedFetch([origin])(`${origin}/nothing`)).status).to.equal(204)
  })

  it('go to no other host, and nowhere that an answer leads to', async () => {
    expect(await codeOf(`${origin}/moved`)).to.equal('repository-moved')
    expect(asked).not.to.include('/elsewhere')
    for (const url of [
      `http://localhost:${new URL(origin).port}/x`,
      'http://169.254.169.254/',
      `https://${origin.slice(7)}/x`,
      `http://user@127.0.0.1:1/`,
      `http://127.0.0.1:${(Number(new URL(origin).port) % 60_000) + 1}/x`,
    ])
      expect(await codeOf(url), url).to.equal('internal-error')
  })

  it('end where the answer is too long or does not come', async () => {
    expect(await codeOf(`${origin}/long`, { mostBytes: 4000 })).to.equal('github-too-long')
    expect(await codeOf(`${origin}/never`, { patienceMs: 50 })).to.equal('github-unavailable')
    server.closeAllConnections()
    server.close()
    expect(await codeOf(`${origin}/x`)).to.equal('github-unavailable')
  })
})
