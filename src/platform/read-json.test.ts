import { Readable } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { ApiError } from './errors.ts'
import { readJson } from './read-json.ts'

describe('a body of a request', () => {
  const read = (text: string): Promise<unknown> => {
    const request = Object.assign(Readable.from([Buffer.from(text)]), {
      headers: { 'content-type': 'application/json' },
      complete: true,
    })
    return readJson(request as unknown as IncomingMessage, 10_000_000)
  }

  it('is not parsed where it is nested deeper than anything that is meant, which would hold up all others', async () => {
    // No JSON: that it is not is found by whoever parses it.
    const error: unknown = await read('['.repeat(4_000_000)).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(ApiError).and.include({ status: 400, code: 'too-deep' })
    expect(await read(`${'['.repeat(200)}${']'.repeat(200)}`)).to.be.an('array')
  })
})
