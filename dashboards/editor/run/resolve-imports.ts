import { codeShape } from './script-kind.ts'

const named = /^([ \t]*)import[ \t]+"(\w+)"/gm

interface KnownContracts {
  /** Addresses of the network's core contracts, by name. */
  readonly core: Readonly<Record<string, string>>
  readonly files: ReadonlyMap<string, string>
  /** The account that the project's contracts are deployed to. */
  readonly address: string | undefined
}

/** Access nodes accept addresses only. Lines stay the same, so that errors point into the file. */
export function resolveImports(code: string, { core, files, address }: KnownContracts): string {
  return code.replaceAll(named, (line, indent: string, name: string) => {
    const known = Object.hasOwn(core, name) ? core[name] : undefined
    const from = known ?? (hasContract(files, name) ? address : undefined)
    return from === undefined ? line : `${indent}import ${name} from ${from}`
  })
}

function hasContract(files: ReadonlyMap<string, string>, name: string): boolean {
  for (const [path, code] of files) {
    if (!path.endsWith('.cdc') || !code.includes(name)) continue
    const shape = codeShape(code)
    if (shape.kind === 'contract' && shape.name === name) return true
  }
  return false
}
