import { expect } from 'chai'
import { settings } from './config.ts'
import { helpText } from './help.ts'
import type { Setting } from './platform/setting.ts'

describe('the help', () => {
  const help = helpText({ api: { description: `Serve ${'all that can be served '.repeat(6)}on PORT.` } })

  it('fits a terminal', () => {
    expect(help.split('\n').filter((line) => line.length > 90)).to.deep.equal([])
  })

  it('names the services, every variable that does something, and the exit codes', () => {
    expect(help)
      .to.match(/^ {2}api {7}Serve all/m)
      .and.to.match(/^Exit codes: 0 .*, 1 .*, 75 /m)
    for (const [name, { alias }] of Object.entries<Setting<unknown>>(settings)) {
      expect(help).to.include(`\n  ${name}  (`)
      if (alias !== undefined) expect(help.replaceAll(/\s+/g, ' ')).to.include(`Also ${alias}.`)
    }
  })
})
