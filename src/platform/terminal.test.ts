import { once } from 'node:events'
import { expect } from 'chai'
import { Terminal } from './terminal.ts'

/** The visible text: applies the two control sequences that are used. */
function screenOf(written: string): string[] {
  const lines = ['']
  let row = 0
  for (const part of written.split(/(\r\u001b\[2K|\u001b\[1A|\n)/)) {
    if (part === '\r\u001b[2K') lines[row] = ''
    else if (part === '\u001b[1A') row--
    else if (part === '\n') lines[++row] ??= ''
    else lines[row] = `${lines[row]}${part}`
  }
  return lines
}

describe('terminal', () => {
  function terminalOf(columns: number, isTTY = true): { terminal: Terminal; screen: () => string[] } {
    let written = ''
    const write = (text: unknown): boolean => {
      written += String(text)
      return true
    }
    return { terminal: new Terminal({ write, columns, isTTY }), screen: () => screenOf(written) }
  }

  it('shows the status below log lines', () => {
    const { terminal, screen } = terminalOf(80)
    terminal.stream.write('one\n')
    terminal.setStatus(['first', 'second'])
    terminal.stream.write('two\n')
    terminal.setStatus(['third'])
    terminal.stream.write('three\n')
    expect(screen().filter((line) => line !== '')).to.deep.equal(['one', 'two', 'three', 'third'])
    terminal.setStatus([])
    expect(screen().filter((line) => line !== '')).to.deep.equal(['one', 'two', 'three'])
  })

  it('truncates the status to its width, so that it never wraps', () => {
    const { terminal, screen } = terminalOf(10)
    terminal.setStatus(['123456789', '1234567890'])
    expect(screen()).to.deep.equal(['123456789', '12345678…'])
    const unsized = terminalOf(0)
    unsized.terminal.setStatus(['x'.repeat(100)])
    expect(unsized.screen()[0]).to.have.length(79)
  })

  it('shows no status without a terminal', async () => {
    const { terminal, screen } = terminalOf(80, false)
    terminal.setStatus(['status'])
    terminal.stream.end('line\n')
    await once(terminal.stream, 'finish')
    expect(screen()).to.deep.equal(['line', ''])
  })
})
