import { expect } from 'chai'
import fc from 'fast-check'
import { bindParameters } from './parameters.ts'

const text = (name: string, value: string): { name: string; type: 'text'; value: string } => ({
  name,
  type: 'text',
  value,
})

describe('statement parameters', () => {
  it('become numbered values, each once', () => {
    expect(
      bindParameters('SELECT {{a}}, {{ long_name }}, {{a}}', [text('a', "x'"), text('long_name', 'y')]),
    ).to.deep.equal({
      text: `SELECT  $1  ,  $2            ,  $1  `,
      values: ["x'", 'y'],
    })
  })

  it('stay text in strings, quoted names and comments', () => {
    for (const sql of [
      `SELECT '{{a}}', '''{{a}}'`,
      `SELECT E'\\'{{a}}', e'{{a}}'`,
      `SELECT "{{a}}"`,
      `SELECT 1 -- {{a}}`,
      `SELECT /* /* */ {{a}} */ 1`,
      `SELECT $$ {{a}} $$, $q$ $$ {{a}} $q$`,
      `SELECT '{{1,2},{3,4}}'::int[]`,
      `SELECT '{{a}}`,
    ])
      expect(bindParameters(sql, [text('a', 'x')]), sql).to.deep.equal({ text: sql, values: [] })
  })

  it('are found after strings and comments', () => {
    for (const sql of [
      `SELECT 'a''' || {{a}}`,
      `SELECT 'b\\' || {{a}}`,
      '/* x */ SELECT {{a}}',
      'SELECT $$x$$ || {{a}}',
    ])
      expect(bindParameters(sql, [text('a', 'x')]).values, sql).to.deep.equal(['x'])
  })

  it('need a value', () => {
    expect(() => bindParameters('SELECT {{a}}', [text('b', 'x')])).to.throw('Parameter "a" has no value')
  })

  it('are limited to twenty', () => {
    const names = Array.from({ length: 21 }, (_, i) => `p${i}`)
    const select = (count: number): string =>
      `SELECT ${names
        .slice(0, count)
        .map((name) => `{{${name}}}`)
        .join()}`
    const given = names.map((name) => text(name, '1'))
    expect(bindParameters(select(20), given).values).to.have.length(20)
    expect(() => bindParameters(select(21), given)).to.throw('more than 20 parameters')
  })

  it('keep the length of the statement and never contain a value', () => {
    const part = fc.constantFrom(
      '{{a}}',
      '{{b}}',
      "'",
      '"',
      '--',
      '\n',
      '/*',
      '*/',
      '$$',
      '$x$',
      'E',
      '\\',
      ' ',
      'x',
      '{',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const sql = parts.join('')
        const bound = bindParameters(sql, [text('a', 'VALUE'), text('b', 'VALUE')])
        expect(bound.text).to.have.length(sql.length)
        expect(bound.text).to.not.include('VALUE')
      }),
    )
  })
})
