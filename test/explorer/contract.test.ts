import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import { z } from 'zod'
import { apiInfo } from '../../src/explorer/api-info.ts'
import { describeExplorer, routes } from '../../src/explorer/routes.ts'
import { describeInline } from '../../src/platform/http/openapi.ts'
import { readApiSamples, sampleCall } from '../support/api-samples.ts'
import type { ApiSamples } from '../support/api-samples.ts'
import { dereferenced } from '../support/dereferenced.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { RunningApi } from '../support/running-api.ts'

type Json = Record<string, unknown>

interface MediaType {
  readonly schema: Json
  readonly example?: unknown
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  /** Authentication schemes with the headers they require. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Json }[]
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, MediaType>> }>>
}

const description = describeExplorer(routes)
const operations = Object.entries(dereferenced(description).paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    operation: operation as Operation,
  })),
)
/** Excludes routes for administrators and key owners, which have their own tests. */
const reads = operations.filter(
  ({ method, operation }) =>
    method === 'GET' && !operation.security.some((scheme) => 'admin' in scheme || 'userToken' in scheme),
)

/** Reads without data on the test chain, with the expected error. */
const unanswered: Readonly<Record<string, { readonly status: number; readonly reason: string }>> = {
  '/flow/account/{address}/storage': { status: 503, reason: 'only the chain itself knows, and no node is asked' },
  '/flow/account/{address}/storage/links': { status: 503, reason: 'only the chain itself knows, and no node is asked' },
  '/flow/account/{address}/storage/item': { status: 503, reason: 'only the chain itself knows, and no node is asked' },
  '/flow/evm/address/{address}/code': { status: 503, reason: 'only the chain itself knows, and no node is asked' },
  '/flow/evm/address/{address}/contract': { status: 404, reason: 'no source was uploaded' },
  '/own/{workerName}': { status: 404, reason: 'the chain has no own worker' },
  '/own/{workerName}/openapi.json': { status: 404, reason: 'the chain has no own worker' },
  '/own/{workerName}/{tableName}': { status: 404, reason: 'the chain has no own worker' },
  '/own/{workerName}/{tableName}/daily': { status: 404, reason: 'the chain has no own worker' },
  '/public/v1/totalSupply': { status: 503, reason: 'enrichment reads the supply, and does not run' },
  '/public/v1/totalSupplyWithDecimal': { status: 503, reason: 'enrichment reads the supply, and does not run' },
}

/** Uses the published document only. */
function validator(schema: Json): z.ZodType {
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  const document = JSON.stringify({ $schema, ...schema, $defs: description.components.schemas })
  return z.fromJSONSchema(JSON.parse(document.replaceAll('#/components/schemas/', '#/$defs/')) as JsonSchema)
}

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0]

describe('the OpenAPI document', () => {
  let api: RunningApi
  let samples: ApiSamples

  before(async () => {
    const explored = await exploredChain()
    api = explored.api
    samples = await readApiSamples(explored.database.pool)
  })

  it('is served as JSON and as YAML', async () => {
    const json = await api.json('/openapi.json')
    const response = await api.get('/openapi.yaml')
    expect(response.headers.get('content-type')).to.equal('application/yaml; charset=utf-8')
    expect(parse(await response.text())).to.deep.equal(json)
    expect(json).to.deep.equal(JSON.parse(JSON.stringify(description)))
  })

  it('shares repeated parameters and errors: equal when resolved, shorter by a tenth', () => {
    const inline = describeInline(routes, apiInfo)
    expect(dereferenced(description).paths).to.deep.equal(dereferenced(inline).paths)
    expect(description.components.schemas).to.deep.equal(inline.components.schemas)
    const text = JSON.stringify(description)
    expect(text.length / JSON.stringify(inline).length).to.be.at.most(0.9)
    for (const kind of ['responses', 'parameters'] as const) {
      for (const name of Object.keys(description.components[kind])) {
        expect(name).to.match(/^[\w.-]+$/)
        expect(text.split(`"#/components/${kind}/${name}"`).length, name).to.be.greaterThan(2)
      }
    }
  })

  it('has unique operation ids and no dangling references', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).to.equal(ids.length)
    for (const [, name] of JSON.stringify(description).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      expect(description.components.schemas).to.have.property(name ?? '')
    }
    for (const [, kind = '', name = ''] of JSON.stringify(description).matchAll(
      /"\$ref":"#\/components\/(responses|parameters)\/([^"]+)"/g,
    )) {
      expect(description.components[kind as 'responses' | 'parameters']).to.have.property(name)
    }
    expect(JSON.stringify(description)).to.not.include('$defs')
  })

  for (const { path, operation } of reads) {
    it(`describes the response of ${path} by schema and example`, async () => {
      const call = sampleCall(path, samples)
      const response = await api.get(call)
      const body = await response.text()
      const expected = unanswered[path]
      expect(response.status, `${call}: ${body.slice(0, 500)}`).to.equal(expected?.status ?? 200)
      const [[mediaType, content] = []] = Object.entries(operation.responses['200']?.content ?? {})
      const schema = validator(content?.schema ?? {})
      schema.parse(content?.example)
      if (expected !== undefined) return
      expect(response.headers.get('content-type')?.split(';')[0]).to.equal(mediaType)
      const parsers: Readonly<Record<string, (text: string) => unknown>> = {
        'application/json': JSON.parse,
        'application/yaml': parse,
      }
      schema.parse(parsers[mediaType ?? '']?.(body) ?? body)
    })
  }

  it('has valid examples for every request and response body', () => {
    for (const route of routes.filter(({ access }) => access === 'admin')) {
      route.response.parse(route.example)
      if (route.body !== undefined) route.body.parse(route.bodyExample)
    }
  })

  it('describes errors', async () => {
    const response = await api.get('/flow/block/99999')
    const problem = operations.find(({ path }) => path === '/flow/block/{height}')?.operation.responses['404']
    validator(problem?.content['application/problem+json']?.schema ?? {}).parse(await response.json())
  })

  it('holds for arbitrary requests: responses are 200 or client errors', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webSegment(),
      fc.integer().map(String),
      fc.maxSafeInteger().map(String),
      fc.constantFrom('', '0', '-0', '%', '%00', '\0', '..', '120', '1'.repeat(400), "' or 1=1 --", '{}', '120:0:'),
      fc.stringMatching(/^[0-9a-f]{64}$/),
    )
    const call = fc.constantFrom(...reads).chain(({ path, operation }) =>
      fc.record({
        path: fc.constant(path),
        operation: fc.constant(operation),
        values: fc.record(Object.fromEntries((operation.parameters ?? []).map(({ name }) => [name, fc.option(text)]))),
      }),
    )
    await fc.assert(
      fc.asyncProperty(call, async ({ path, operation, values }) => {
        const query = new URLSearchParams()
        let target = path
        for (const [name, value] of Object.entries(values)) {
          const segment = encodeURIComponent(value ?? 'x').replaceAll('.', '%2E')
          if (path.includes(`{${name}}`)) target = target.replace(`{${name}}`, segment)
          else if (value !== null) query.set(name, value)
        }
        const response = await api.get(`${target}?${query.toString()}`)
        const body = await response.text()
        expect(response.status, `${target}?${query.toString()}: ${body}`).to.be.oneOf([
          200,
          400,
          404,
          ...(unanswered[path] === undefined ? [] : [503]),
        ])
        if (response.status === 200) return
        const { code, status, detail } = JSON.parse(body) as Json
        expect(response.headers.get('content-type')).to.include('application/problem+json')
        expect(status).to.equal(response.status)
        expect(code).to.match(/^[a-z-]+$/)
        expect(detail).to.not.match(/syntax error|relation "|column "|operator does not|invalid input/)
        expect(Object.keys(operation.responses)).to.include.members(code === 'unknown-path' ? [] : [String(status)])
      }),
      { numRuns: 150 },
    )
  })
})
