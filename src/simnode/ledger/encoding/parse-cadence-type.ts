import type { CadenceType, CompositeType, InterfaceType } from './cadence-type.ts'

/** Composite and interface types by the name that they are called by. */
export type NamedTypes = Readonly<Record<string, CompositeType | InterfaceType>>

/**
 * A type from Cadence's own spelling: `UFix64`, `Address?`, `[UInt8]`, `[UInt8; 32]`, `{String: UFix64}`,
 * `Capability<Vault>`, names of composite types that are given along. A name that is not given is a built-in type.
 * @throws SyntaxError
 */
export function cadenceType(text: string, named: NamedTypes = {}): CadenceType {
  const parser = new Parser(text, named)
  return parser.whole()
}

/**
 * An event's type from its id and the spelled types of its fields, in their order.
 * @throws SyntaxError
 */
export function eventType(id: string, fields: Readonly<Record<string, string>>, named: NamedTypes = {}): CompositeType {
  return compositeType('Event', id, fields, named)
}

/**
 * A composite type from its id and the spelled types of its fields, in their order.
 * @throws SyntaxError
 */
export function compositeType(
  form: CompositeType['form'], id: string, fields: Readonly<Record<string, string>>, named: NamedTypes = {},
): CompositeType {
  const typed = Object.entries(fields).map(([name, text]) => ({ name, type: cadenceType(text, named) }))
  return { kind: 'composite', form, id, fields: typed }
}

class Parser {
  readonly #text: string
  readonly #named: NamedTypes
  #rest: string

  constructor(text: string, named: NamedTypes) {
    this.#text = text
    this.#named = named
    this.#rest = text.trim()
  }

  whole(): CadenceType {
    const type = this.#type()
    if (this.#rest !== '') throw this.#unexpected()
    return type
  }

  #type(): CadenceType {
    let type = this.#plain()
    while (this.#skip('?')) type = { kind: 'optional', element: type }
    return type
  }

  #plain(): CadenceType {
    if (this.#skip('[')) return this.#array()
    if (this.#skip('{')) {
      const key = this.#type()
      this.#expect(':')
      const value = this.#type()
      this.#expect('}')
      return { kind: 'dictionary', key, value }
    }
    const name = this.#match(/^[A-Za-z_][\w.]*/)
    if (name === 'Capability') return { kind: 'capability', borrowType: this.#skip('<') ? this.#typeArgument() : null }
    if (name === 'InclusiveRange') {
      this.#expect('<')
      return { kind: 'range', element: this.#typeArgument() }
    }
    return this.#named[name] ?? { kind: 'simple', name }
  }

  #array(): CadenceType {
    const element = this.#type()
    if (this.#skip(']')) return { kind: 'array', element }
    this.#expect(';')
    const size = Number(this.#match(/^\d+/))
    this.#expect(']')
    return { kind: 'array', element, size }
  }

  #typeArgument(): CadenceType {
    const type = this.#type()
    this.#expect('>')
    return type
  }

  #skip(mark: string): boolean {
    if (!this.#rest.startsWith(mark)) return false
    this.#rest = this.#rest.slice(mark.length).trimStart()
    return true
  }

  #expect(mark: string): void {
    if (!this.#skip(mark)) throw this.#unexpected()
  }

  #match(pattern: RegExp): string {
    const found = pattern.exec(this.#rest)?.[0]
    if (found === undefined) throw this.#unexpected()
    this.#rest = this.#rest.slice(found.length).trimStart()
    return found
  }

  #unexpected(): SyntaxError {
    return new SyntaxError(`"${this.#text}" is no type from "${this.#rest}" on`)
  }
}
