import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import { z } from 'zod'
import { describeApi } from '../../src/api/openapi.ts'
import { routes } from '../../src/api/route-table.ts'
import { chainBlock, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

type Json = Record<string, unknown>

interface MediaType {
  readonly schema: Json
  readonly example?: unknown
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Json }[]
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, MediaType>> }>>
}

/** A value for each parameter that a path of the route table can have. */
const pathValues: Readonly<Record<string, string>> = {
  height: '120', id: chainBlock(120).transactions[1]?.id ?? '', module: 'evm', timescale: 'daily',
}

const description = describeApi(routes)
const operations = Object.entries(description.paths).map(([path, methods]) => {
  return { path, operation: methods['get'] as Operation }
})

/** A check made of the published description alone. */
function validator(schema: Json): z.ZodType {
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  const document = JSON.stringify({ $schema, ...schema, $defs: description.components.schemas })
  return z.fromJSONSchema(JSON.parse(document.replaceAll('#/components/schemas/', '#/$defs/')) as JsonSchema)
}

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0]

describe('the published description of the API', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 130)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  it('is served as JSON and as YAML', async () => {
    const json = await api.json('/openapi.json')
    const response = await api.get('/openapi.yaml')
    expect(response.headers.get('content-type')).to.equal('application/yaml; charset=utf-8')
    expect(parse(await response.text())).to.deep.equal(json)
    expect(json).to.deep.equal(JSON.parse(JSON.stringify(description)))
  })

  it('names each operation once, and refers to nothing that it lacks', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).to.equal(ids.length)
    for (const [, name] of JSON.stringify(description).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      expect(description.components.schemas).to.have.property(name ?? '')
    }
    expect(JSON.stringify(description)).to.not.include('$defs')
  })

  for (const { path, operation } of operations) {
    it(`tells what ${path} answers, by schema and by example`, async () => {
      const response = await api.get(path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathValues[name] ?? ''))
      expect(response.status).to.equal(200)
      const [[mediaType, content] = []] = Object.entries(operation.responses['200']?.content ?? {})
      expect(response.headers.get('content-type')?.split(';')[0]).to.equal(mediaType)
      const body: unknown = mediaType === 'application/json' ? await response.json() : await response.text()
      const schema = validator(content?.schema ?? {})
      schema.parse(body)
      schema.parse(content?.example)
    })
  }

  it('tells what errors look like', async () => {
    const response = await api.get('/flow/block/99')
    const problem = operations.find(({ path }) => path === '/flow/block/{height}')?.operation.responses['404']
    validator(problem?.content['application/problem+json']?.schema ?? {}).parse(await response.json())
  })

  it('holds for whatever is asked: each answer is 200, or a problem that the caller can mend', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }), fc.webSegment(), fc.integer().map(String), fc.maxSafeInteger().map(String),
      fc.constantFrom('', '0', '-0', '%', '%00', '\0', '..', '120', '1'.repeat(400), "' or 1=1 --", '{}', '120:0:'),
      fc.stringMatching(/^[0-9a-f]{64}$/),
    )
    const call = fc.constantFrom(...operations).chain(({ path, operation }) => fc.record({
      path: fc.constant(path),
      operation: fc.constant(operation),
      values: fc.record(Object.fromEntries((operation.parameters ?? []).map(({ name }) => [name, fc.option(text)]))),
    }))
    await fc.assert(fc.asyncProperty(call, async ({ path, operation, values }) => {
      const query = new URLSearchParams()
      let target = path
      for (const [name, value] of Object.entries(values)) {
        const segment = encodeURIComponent(value ?? 'x').replaceAll('.', '%2E')
        if (path.includes(`{${name}}`)) target = target.replace(`{${name}}`, segment)
        else if (value !== null) query.set(name, value)
      }
      const response = await api.get(`${target}?${query.toString()}`)
      const body = await response.text()
      expect(response.status, `${target}?${query.toString()}: ${body}`).to.be.oneOf([200, 400, 404])
      if (response.status === 200) return
      const { code, status, detail } = JSON.parse(body) as Json
      expect(response.headers.get('content-type')).to.include('application/problem+json')
      expect(status).to.equal(response.status)
      expect(code).to.match(/^[a-z-]+$/)
      expect(detail).to.not.match(/syntax error|relation|column|operator|invalid input/)
      expect(Object.keys(operation.responses)).to.include.members(code === 'unknown-path' ? [] : [String(status)])
    }), { numRuns: 150 })
  })
})
