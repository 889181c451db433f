import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'
import { asError, exitCodes } from '../../src/platform/errors.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/**
 * The options of a benchmark that is started by itself. `--help` prints what its file says of it in its first comment, with its options; what is no option
 * of it ends it with 1 and one line.
 *
 * @param file that of the benchmark: `import.meta.filename`
 */
export function readOptions<const Given extends Options>(file: string, { options }: { readonly options: Given }) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } })
    if ('help' in values) {
      process.stdout.write(helpText(readFileSync(file, 'utf8'), options))
      return process.exit(exitCodes.done)
    }
    return parseArgs({ options })
  } catch (error) {
    process.stderr.write(`${asError(error).message.split('. ', 1)[0] ?? ''}; --help shows the options\n`)
    return process.exit(exitCodes.needsPerson)
  }
}

/** @param source that of a program whose first comment says what it does */
export function helpText(source: string, options: Options): string {
  const [, comment = ''] = /\/\*\*(.*?)\*\//s.exec(source) ?? []
  const lines = comment.split('\n').map((line) => line.replace(/^ \* ?/, '').trimEnd())
  const rows = Object.entries(options).map(([name, { type, default: usual }]) => {
    const given = type === 'boolean' ? `--${name}` : `--${name} <…>`
    return `  ${given.padEnd(24)}${typeof usual === 'string' && usual !== '' ? `default ${usual}` : ''}`.trimEnd()
  })
  return `${[lines.join('\n').trim(), '', ...rows, '  --help'].join('\n')}\n`
}
