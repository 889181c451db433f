import { expect } from 'chai'
import fc from 'fast-check'
import { z } from 'zod'
import { hostileTexts } from '../../test/support/hostile-texts.ts'
import { describeParameters } from '../platform/http/openapi.ts'
import { routes } from './routes.ts'

interface Described {
  readonly name: string
  readonly required: boolean
  readonly schema: Parameters<typeof z.fromJSONSchema>[0]
}

const cases = routes.flatMap((route) =>
  (['path', 'query'] as const).flatMap((place) => {
    const { shape } = place === 'path' ? route.params : route.query
    const described = describeParameters(z.object(shape), place) as unknown as Described[]
    return described.map((parameter) => ({ route, place, ...parameter, declared: shape[parameter.name] as z.ZodType }))
  }),
)

/** Whether a client that only reads the description can send the text: as a string, number or boolean. */
function isAsDescribed(schema: z.ZodType, text: string): boolean {
  const readings: unknown[] = [text]
  if (/^(0|-?[1-9]\d{0,15})$/.test(text)) readings.push(Number(text))
  if (text === 'true' || text === 'false') readings.push(text === 'true')
  return readings.some((reading) => schema.safeParse(reading).success)
}

function patternsIn(schema: unknown): string[] {
  return [...JSON.stringify(schema).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
    ([, pattern = '""']) => JSON.parse(pattern) as string,
  )
}

/** Texts that a pattern has, the same in other cases, and with something before, behind or taken away. */
function textsOf(pattern: string): fc.Arbitrary<string> {
  const change = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    (text) => `${text}0`,
    (text) => `0${text}`,
    (text) => ` ${text}`,
    (text) => `${text}\n`,
    (text) => text.slice(1),
    (text) => text.replaceAll(/\d/g, '٣'),
  )
  return fc
    .tuple(fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' }), change)
    .map(([text, changed]) => changed(text))
}

describe('describeParameters', () => {
  it('has portable patterns: no flags and no locale-dependent classes', () => {
    for (const { route, name, schema } of cases) {
      for (const pattern of patternsIn(schema)) {
        expect(pattern, `${route.path} ${name}`).to.not.match(/\\[dwDWpP]|\(\?[^:!=]/)
      }
    }
  })

  it('declares required parameters and defaults', () => {
    const of = (operationId: string, wanted: string): Described | undefined =>
      cases.find(({ route, name }) => route.operationId === operationId && name === wanted)
    expect(of('search', 'q')?.required).to.equal(true)
    expect(of('listBlocks', 'limit')).to.deep.include({
      required: false,
      schema: { default: 20, type: 'integer', minimum: 1, maximum: 100 },
    })
    expect(of('listTransactions', 'include_events')?.schema).to.have.property('default', false)
  })

  it('describes exactly what every parameter of every route accepts', () => {
    const seen = new Set<string>()
    for (const { route, name, schema, declared } of cases) {
      const { default: _preset, ...rest } = schema as Record<string, unknown>
      const described = z.fromJSONSchema(rest)
      const agree = (text: string): void => {
        expect(declared.safeParse(text).success, `${route.path} ${name} ${JSON.stringify(text)}`).to.equal(
          isAsDescribed(described, text),
        )
      }
      hostileTexts.forEach(agree)
      const isNew = !seen.has(JSON.stringify(rest))
      seen.add(JSON.stringify(rest))
      for (const pattern of isNew ? patternsIn(rest) : [])
        fc.assert(fc.property(textsOf(pattern), agree), { numRuns: 30 })
    }
  })
})
