import { posix } from 'node:path'
import { contractId, namedContracts } from './contract-library.ts'
import type { ChainContract } from './contract-library.ts'
import type { ImportStatement, ImportLocation } from './import-statements.ts'
import type { ContractName } from './import-workspace.ts'

interface ContractPart extends ContractName {
  readonly firstLine: number
}

export interface ContractFile {
  /** Depends on the text, so that no server caches an outdated file. */
  readonly name: string
  readonly text: string
  readonly parts: readonly ContractPart[]
}

type Together = Iterable<readonly string[]>

/**
 * Lays out contracts as files, so that imports by address become imports of files. A checker
 * identifies a type by its file, so each contract is in exactly one file. These share a file:
 *
 * - contracts that one statement imports (`import A, B from 0x1`);
 * - a contract and one of the same account that it imports, if that has `access(account)`;
 * - contracts whose files would otherwise import each other.
 *
 * A shared file starts with the merged imports. Contracts with conflicting names do not share a
 * file. @param together further groups, from statements of documents
 */
export function layOutContracts(
  contracts: ReadonlyMap<string, ChainContract>,
  together: Together,
  nameOf: (text: string) => string,
): Map<string, ContractFile> {
  const groups = new Groups(contracts.keys())
  for (const ids of together) groups.join(ids.filter((id) => contracts.has(id)))
  for (const contract of contracts.values()) {
    for (const statement of contract.statements) {
      const ids = namedContracts(statement).filter((id) => contracts.has(id))
      groups.join(ids)
      for (const id of ids) {
        const imported = contracts.get(id)
        if (imported?.address === contract.address && imported.hasAccountAccess) groups.join([contract.id, id])
      }
    }
  }
  joinCircles(contracts, groups)
  return new Files(contracts, groups, nameOf).write()
}

class Groups {
  readonly #parents: Map<string, string>

  constructor(ids: Iterable<string>) {
    this.#parents = new Map([...ids].map((id) => [id, id]))
  }

  of(id: string): string {
    let at = id
    for (let parent = this.#parents.get(at); parent !== undefined && parent !== at; parent = this.#parents.get(at)) {
      this.#parents.set(at, this.#parents.get(parent) ?? parent)
      at = parent
    }
    return at
  }

  join(ids: readonly string[]): void {
    const [first, ...others] = ids
    if (first === undefined) return
    for (const id of others) {
      // For a deterministic result.
      const [leader = first, follower = first] = [this.of(first), this.of(id)].toSorted()
      this.#parents.set(follower, leader)
    }
  }
}

/** Tarjan's components, without recursion. */
function joinCircles(contracts: ReadonlyMap<string, ChainContract>, groups: Groups): void {
  const imported = new Map<string, Set<string>>()
  for (const contract of contracts.values()) {
    const own = groups.of(contract.id)
    const targets = imported.get(own) ?? new Set()
    imported.set(own, targets)
    for (const id of contract.statements.flatMap(namedContracts))
      if (contracts.has(id) && groups.of(id) !== own) targets.add(groups.of(id))
  }
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const isOnStack = new Set<string>()
  const circles: string[][] = []
  const enter = (group: string) => {
    order.set(group, order.size)
    low.set(group, order.size - 1)
    stack.push(group)
    isOnStack.add(group)
    return { group, rest: [...(imported.get(group) ?? [])] }
  }
  const lower = (group: string, value: number): void => void low.set(group, Math.min(low.get(group) ?? value, value))
  for (const root of imported.keys()) {
    if (order.has(root)) continue
    const way = [enter(root)]
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const next = here.rest.pop()
      if (next !== undefined) {
        if (!order.has(next)) way.push(enter(next))
        else if (isOnStack.has(next)) lower(here.group, order.get(next) ?? 0)
        continue
      }
      way.pop()
      const above = way.at(-1)
      if (above !== undefined) lower(above.group, low.get(here.group) ?? 0)
      if (low.get(here.group) !== order.get(here.group)) continue
      const circle = stack.splice(stack.lastIndexOf(here.group))
      for (const group of circle) isOnStack.delete(group)
      if (circle.length > 1) circles.push(circle)
    }
  }
  for (const circle of circles) groups.join(circle)
}

class Files {
  readonly #contracts: ReadonlyMap<string, ChainContract>
  readonly #nameOf: (text: string) => string
  readonly #members = new Map<string, ChainContract[]>()
  readonly #groupOf = new Map<string, string>()
  readonly #written = new Map<string, ContractFile>()
  readonly #isOpen = new Set<string>()

  constructor(contracts: ReadonlyMap<string, ChainContract>, groups: Groups, nameOf: (text: string) => string) {
    this.#contracts = contracts
    this.#nameOf = nameOf
    const members = Map.groupBy(
      [...contracts.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      ({ id }) => groups.of(id),
    )
    for (const [group, those] of members) {
      const canShare = those.length === 1 || hasOneMeaningForEachName(those)
      for (const contract of those) {
        const own = canShare ? group : contract.id
        this.#groupOf.set(contract.id, own)
        this.#members.set(own, canShare ? those : [contract])
      }
    }
  }

  write(): Map<string, ContractFile> {
    const files = new Map<string, ContractFile>()
    // The start determines where a cycle is cut.
    for (const id of [...this.#contracts.keys()].toSorted()) {
      const file = this.#fileOf(id)
      if (file !== undefined) files.set(id, file)
    }
    return files
  }

  /** Undefined in a cycle of contracts that cannot share a file. */
  #fileOf(id: string): ContractFile | undefined {
    const group = this.#groupOf.get(id)
    if (group === undefined || this.#isOpen.has(group)) return undefined
    const written = this.#written.get(group)
    if (written !== undefined) return written
    this.#isOpen.add(group)
    const members = this.#members.get(group) ?? []
    const file = members.length === 1 ? this.#fileOfOne(members) : this.#fileOfSeveral(members)
    this.#isOpen.delete(group)
    this.#written.set(group, file)
    return file
  }

  #fileOfOne(members: readonly ChainContract[]): ContractFile {
    const parts = members.map(({ address, name }) => ({ address, name, firstLine: 0 }))
    const text = members
      .map(({ code, statements }) =>
        replaceLocations(
          code,
          statements.flatMap((statement) => {
            const file = this.#importedFile(statement)
            return file === undefined ? [] : [{ location: statement.location, path: `./${file.name}` }]
          }),
        ),
      )
      .join('')
    return { name: this.#nameOf(text), text, parts }
  }

  #fileOfSeveral(members: readonly ChainContract[]): ContractFile {
    const own = new Set(members.map(({ id }) => id))
    const kept = new Set<string>()
    /** `A` or `A as B` to the path of the imported file. */
    const imports = new Map<string, string>()
    const bodies = members.map(({ code, statements }) =>
      blankOut(
        code,
        statements.filter((statement) => {
          const ids = namedContracts(statement)
          if (ids.length > 0 && ids.every((id) => own.has(id))) return true
          const file = this.#importedFile(statement)
          if (file === undefined) {
            const isAgain = kept.has(written(statement))
            kept.add(written(statement))
            return isAgain
          }
          for (const { name, alias } of statement.names)
            imports.set(alias === undefined ? name : `${name} as ${alias}`, `./${file.name}`)
          return true
        }),
      ),
    )
    const byPath = Map.groupBy(imports, ([, path]) => path)
    const head = [...byPath].map(([path, names]) => `import ${names.map(([name]) => name).join(', ')} from "${path}"\n`)
    const parts: ContractPart[] = []
    let line = head.length
    for (const [at, { address, name }] of members.entries()) {
      parts.push({ address, name, firstLine: line })
      line += bodies[at]?.split('\n').length ?? 0
    }
    const text = head.join('') + bodies.join('\n')
    return { name: this.#nameOf(text), text, parts }
  }

  #importedFile(statement: ImportStatement): ContractFile | undefined {
    return fileOf(namedContracts(statement), (id) => this.#fileOf(id))
  }
}

export function fileOf<File extends Pick<ContractFile, 'name'>>(
  ids: readonly string[],
  find: (id: string) => File | undefined,
): File | undefined {
  const [first, ...others] = ids.map(find)
  return others.every((file) => file?.name === first?.name) ? first : undefined
}

function written({ names, location: { kind, value } }: ImportStatement): string {
  return `${names.map(({ name, alias }) => `${name} as ${alias ?? name}`).join()} from ${kind} ${value}`
}

/** Including imported names. */
function hasOneMeaningForEachName(members: readonly ChainContract[]): boolean {
  const own = new Set(members.map(({ id }) => id))
  const meanings = new Map(members.map(({ name, id }) => [name, id]))
  if (meanings.size < members.length) return false
  return members.every(({ statements }) =>
    statements.every(({ names, location: { kind, value } }) =>
      names.every(({ name, alias = name }) => {
        const id = kind === 'address' ? contractId({ address: value, name }) : `${kind} ${value} ${name}`
        if (own.has(id) && alias !== name) return false
        const known = meanings.get(alias)
        meanings.set(alias, id)
        return known === undefined || known === id
      }),
    ),
  )
}

/** The import location of a contract file in a document. */
export function locationFrom(path: string, folder: string, { name }: Pick<ContractFile, 'name'>): string {
  const relative = posix.relative(posix.dirname(path), posix.join(folder, name))
  return relative.startsWith('.') ? relative : `./${relative}`
}

export interface LocationChange {
  readonly location: ImportLocation
  /** Without quotes, backslashes and line breaks. */
  readonly path: string
}

/** Blanks and comments only. */
const restOfLine = /[ \t;]*(?:\/\/[^\n\r]*)?(?=[\n\r]|$)/y

/**
 * A shorter literal is padded; a longer one is written only at the end of its line, else the import
 * stays. @param changes in source order
 */
export function replaceLocations(code: string, changes: readonly LocationChange[]): string {
  const parts: string[] = []
  let done = 0
  for (const {
    location: { start, end },
    path,
  } of changes) {
    const literal = `"${path}"`
    const length = end - start
    restOfLine.lastIndex = end
    if (literal.length > length && !restOfLine.test(code)) continue
    // `from` may be followed directly by a string.
    parts.push(code.slice(done, start), literal.padEnd(length))
    done = end
  }
  return parts.join('') + code.slice(done)
}

/** Preserves line breaks. @param spans in source order */
export function blankOut(code: string, spans: ReadonlyArray<{ readonly start: number; readonly end: number }>): string {
  const parts: string[] = []
  let done = 0
  for (const { start, end } of spans) {
    parts.push(code.slice(done, start), code.slice(start, end).replaceAll(/[^\n\r]/g, ' '))
    done = end
  }
  return parts.join('') + code.slice(done)
}
