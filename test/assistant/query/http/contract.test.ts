import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import { z } from 'zod'
import { examplePairs } from '../../../../src/assistant/query/example-pairs.ts'
import { readAlertQuestion } from '../../../../src/assistant/query/alerts/read-alert-question.ts'
import { askApiInfo, askRoutes } from '../../../../src/assistant/query/http/server.ts'
import { describeApi } from '../../../../src/platform/http/openapi.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runAsk } from '../support/running-ask.ts'
import type { RunningAsk } from '../support/running-ask.ts'

type Json = Record<string, unknown>
type JsonSchema = Parameters<typeof z.fromJSONSchema>[0]

interface Described {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Json }>>; readonly $ref?: string }>
  >
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Json; readonly responses: Described['responses'] }
}

const description = describeApi(askRoutes, askApiInfo) as unknown as Description

/** Validates a response against the published OpenAPI document only, like a generated client. */
function expectAsDescribed(
  route: { readonly method: string; readonly path: string },
  response: Response,
  text: string,
): void {
  const what = `${route.method} ${route.path}: ${response.status} ${text.slice(0, 300)}`
  const described = description.paths[route.path]?.[route.method.toLowerCase()]?.responses[response.status]
  expect(described, what).to.be.an('object')
  const { content } =
    described?.$ref === undefined
      ? (described ?? {})
      : (description.components.responses[described.$ref.split('/').at(-1) ?? ''] ?? {})
  if (content === undefined) {
    expect(text, what).to.equal('')
    return
  }
  const [[mediaType, { schema }] = ['', { schema: {} }]] = Object.entries(content)
  expect(response.headers.get('content-type')?.split(';', 1)[0], what).to.equal(mediaType)
  const parsed = validator(schema).safeParse(mediaType.endsWith('json') ? JSON.parse(text) : text)
  expect(parsed.error?.message, what).to.equal(undefined)
}

const validators = new Map<Json, z.ZodType>()

function validator(schema: Json): z.ZodType {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...schema,
    $defs: description.components.schemas,
  }
  const made = z.fromJSONSchema(
    JSON.parse(JSON.stringify(document).replaceAll('#/components/schemas/', '#/$defs/')) as JsonSchema,
  )
  validators.set(schema, made)
  return made
}

describe('query service OpenAPI document', () => {
  let db: TestDatabase
  let ask: RunningAsk
  before(async () => {
    db = await createTestDatabase()
    ask = await runAsk(db, { LLM_PROVIDER: 'scripted' })
  })
  after(async () => {
    await ask.stop()
    await db.drop()
  })

  const call = async (path: string, method: string, body?: unknown): Promise<{ response: Response; text: string }> => {
    const init =
      body === undefined
        ? {}
        : {
            headers: { 'Content-Type': 'application/json' },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }
    const response = await ask.fetch(path, { method, ...init })
    return { response, text: await response.text() }
  }

  it('is equal as JSON and as YAML and has no dangling references', async () => {
    expect(parse((await call('/openapi.yaml', 'GET')).text)).to.deep.equal(
      JSON.parse((await call('/openapi.json', 'GET')).text),
    )
    for (const [, kind = '', name = ''] of JSON.stringify(description).matchAll(
      /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g,
    )) {
      expect(description.components).to.have.nested.property(`${kind}.${name}`)
    }
  })

  it('describes the response of each operation to its example input', async () => {
    for (const route of askRoutes) {
      const path = route.path.replace('{target}', 'indexer').replaceAll(/\{\w+\}/g, '0000000000000000')
      const query = route.path.endsWith('/search') ? '?question=blocks' : ''
      const { response, text } = await call(`${path}${query}`, route.method, route.bodyExample)
      const expected = /\{(?!target\})/.test(route.path) ? 404 : route.successStatus
      expect(response.status, `${route.method} ${path}: ${text}`).to.equal(
        // The scripted model has no explanations.
        route.operationId === 'explainSql' ? 503 : expected,
      )
      expectAsDescribed(route, response, text)
    }
  })

  it('shows a question that the scripted model can answer', () => {
    const known = examplePairs('indexer', 'mainnet').flatMap(({ questions }) => questions)
    const shown = askRoutes.flatMap(
      ({ bodyExample }) => z.object({ question: z.string() }).safeParse(bodyExample).data ?? [],
    )
    expect(shown).not.to.have.length(0)
    const plain = shown.map(({ question }) =>
      question.startsWith('Tell me when ') ? `What is ${readAlertQuestion(question).subject}?` : question,
    )
    for (const question of plain) expect(known).to.include(question)
  })

  it('holds for arbitrary requests: each response is documented and none is an internal error', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '',
        ' ',
        'indexer',
        'evm',
        '\0',
        '\uD800',
        'SELECT 1',
        'SELECT',
        "SELECT '",
        'DROP TABLE x',
        '0',
        '-1',
        '201',
        '%',
      ),
    )
    const value = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) })
    const names = ['question', 'sql', 'target', 'execute', 'max_rows', 'limit', 'offset', '__proto__']
    const fields = fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true, maxKeys: 3 })
    const sent = fc.record({
      operationId: fc.constantFrom(
        ...askRoutes.filter(({ path }) => path.startsWith('/api/')).map((route) => route.operationId),
      ),
      id: text,
      query: fc.dictionary(fc.constantFrom(...names), text, { maxKeys: 2 }),
      body: fc.oneof(fields, value, fc.constantFrom('{', '[[', '{"sql": "SELECT 1"}')),
    })
    await fc.assert(
      fc.asyncProperty(sent, async ({ operationId, id, query, body }) => {
        const route = askRoutes.find((one) => one.operationId === operationId)
        if (route === undefined) throw new Error(`no ${operationId}`)
        const part = encodeURIComponent(id.toWellFormed())
        // Empty names and dot segments change the path.
        fc.pre(!/^\.{0,2}$/.test(part))
        const path = route.path.replaceAll(/\{\w+\}/g, part)
        const search = new URLSearchParams(query).toString()
        const { response, text: answer } = await call(
          `${path}${search === '' ? '' : `?${search}`}`,
          route.method,
          route.body === undefined ? undefined : body,
        )
        expectAsDescribed(route, response, answer)
        expect(response.status, answer).not.to.equal(500)
      }),
      { numRuns: 150 },
    )
  })
})
