import { expect } from 'chai'
import type { Endpoint } from './document.ts'
import { endpointsOf, limitsText, matchesFilter, objectOf, typeText } from './document.ts'
import { pathOf, readSampleTokens, sampleOf } from './samples.ts'

const endpoint: Endpoint = {
  method: 'GET',
  path: '/flow/block/{height}',
  operationId: 'getBlock',
  tags: ['Blocks'],
  summary: 'Block',
  security: [],
  responses: {},
  parameters: [
    { name: 'height', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'q', in: 'query', required: false, schema: { type: 'string' } },
  ],
}

const key = { header: 'X-API-Key', prefix: '' }
const plain = { method: 'GET', url: 'https://a.example/flow/block?limit=5', credentials: undefined, body: undefined }

describe('request samples', () => {
  it('fill in and escape parameters', () => {
    const parameters = { height: 'a/b', q: `it's "x" & y`, other: '1' }
    expect(pathOf(endpoint, { parameters, body: undefined })).to.equal('/flow/block/a%2Fb?q=it%27s+%22x%22+%26+y')
    expect(pathOf(endpoint, { parameters: {}, body: undefined })).to.equal('/flow/block/{height}')
  })

  it('are complete programs', () => {
    expect(sampleOf('curl', { ...plain, isJson: true })).to.equal(`curl 'https://a.example/flow/block?limit=5'`)
    expect(sampleOf('JavaScript', { ...plain, isJson: true })).to.include(
      'await fetch("https://a.example/flow/block?limit=5")\n',
    )
    expect(sampleOf('Python', { ...plain, isJson: false }))
      .to.include('"https://a.example/flow/block",\n    params={"limit": "5"},')
      .and.include('print(response.text)')
  })

  it('send bodies and credentials from the environment', () => {
    const request = {
      ...plain,
      method: 'POST',
      credentials: key,
      body: `{ "name": "it's" }`,
      isJson: true,
    }
    expect(sampleOf('curl', request)).to.equal(
      [
        `curl -X POST 'https://a.example/flow/block?limit=5'`,
        `-H "X-API-Key: $FLOWFARM_KEY"`,
        `-H 'Content-Type: application/json'`,
        String.raw`-d '{"name":"it'\''s"}'`,
      ].join(' \\\n  '),
    )
    expect(sampleOf('JavaScript', request))
      .to.include(`headers: { 'X-API-Key': process.env.FLOWFARM_KEY, 'Content-Type': 'application/json' },`)
      .and.include(`body: JSON.stringify({"name":"it's"}),`)
    expect(sampleOf('Python', { ...request, credentials: { header: 'Authorization', prefix: 'Bearer ' } }))
      .to.include('headers={"Authorization": "Bearer " + os.environ["FLOWFARM_KEY"]},')
      .and.include(String.raw`json=json.loads("{\"name\":\"it's\"}"),`)
  })

  it('highlight without changing the text', () => {
    const text = '{ "a": [1.5, null, "b\\"c"], "d": true } // it\'s'
    const tokens = readSampleTokens(text)
    expect(tokens.map((token) => token.text).join('')).to.equal(text)
    expect(
      tokens.filter(({ kind }) => kind !== 'plain').map(({ kind, text: part }) => `${kind} ${part}`),
    ).to.deep.equal(['call "a"', 'number 1.5', 'keyword null', 'text "b\\"c"', 'call "d"', 'keyword true'])
  })
})

describe('API document', () => {
  it('lists endpoints, found by words', () => {
    const { method, path, ...operation } = endpoint
    const document = {
      info: { title: '', description: '' },
      paths: { [path]: { get: operation } },
      components: { schemas: {}, responses: {}, securitySchemes: {} },
    }
    expect(endpointsOf(document)).to.deep.equal([endpoint])
    expect(matchesFilter(endpoint, 'get BLOCK')).to.equal(true)
    expect(matchesFilter(endpoint, 'block token')).to.equal(false)
    expect(method).to.equal('GET')
  })

  it('describes types', () => {
    expect(typeText({ type: 'array', items: { $ref: '#/components/schemas/Block' } })).to.equal('list of Block')
    expect(typeText({ anyOf: [{ type: 'string' }, { type: 'null' }] })).to.equal('string or null')
    expect(typeText({ type: ['string', 'null'] })).to.equal('string or null')
    expect(typeText({ enum: ['a', 'b'] })).to.equal('a | b')
    expect(limitsText({ type: 'integer', default: 20, minimum: 1, maximum: 100 })).to.equal('default 20, 1 to 100')
  })

  it('finds the object within lists, choices and references', () => {
    const block = { type: 'object', properties: { height: { type: 'integer' } } }
    const schemas = { Block: block, Alias: { $ref: '#/components/schemas/Block' } }
    const list = { type: 'array', items: { anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/Alias' }] } }
    expect(objectOf(list, schemas)).to.deep.equal({ name: 'Block', schema: block })
    expect(objectOf({ type: 'string' }, schemas)).to.equal(undefined)
  })
})
