import { expect } from 'chai'
import { sharePartsOf } from './openapi-components.ts'

describe('shared parts of an OpenAPI document', () => {
  it('leave parts that are used once, and number names that are taken', () => {
    const parameter = (description: string): object => ({ name: 'at', in: 'query', description })
    const of = (texts: readonly string[], error: string): Record<string, unknown> => ({
      parameters: texts.map(parameter),
      responses: { 200: { description: 'Success.' }, 404: { description: error } },
    })
    const { paths, parameters, responses } = sharePartsOf({
      paths: {
        '/a': { get: of(['x', 'y'], 'No block.'), post: of(['y'], 'No token.') },
        '/b': { get: of(['x'], 'No block.') },
      },
      components: { responses: { Error404: { description: 'Taken.' } } },
    })
    const reference = (kind: string, name: string): object => ({ $ref: `#/components/${kind}/${name}` })
    expect(parameters).to.deep.equal({ at: parameter('x'), at_2: parameter('y') })
    expect(responses).to.deep.equal({
      Error404: { description: 'Taken.' },
      Error404_2: { description: 'No block.' },
    })
    expect(paths['/a']?.['post']).to.deep.equal({
      parameters: [reference('parameters', 'at_2')],
      responses: { 200: { description: 'Success.' }, 404: { description: 'No token.' } },
    })
    expect(paths['/b']?.['get']).to.deep.equal({
      parameters: [reference('parameters', 'at')],
      responses: { 200: { description: 'Success.' }, 404: reference('responses', 'Error404_2') },
    })
  })
})
