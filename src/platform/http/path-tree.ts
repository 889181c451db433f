export interface PathMatch<Value> {
  readonly value: Value
  readonly params: Readonly<Record<string, string>>
}

interface Node<Value> {
  readonly literals: Map<string, Node<Value>>
  parameter?: Node<Value>
  rest?: Node<Value>
  readonly byMethod: Map<string, { readonly value: Value; readonly names: readonly string[] }>
}

type Matches<Value> = Map<string, PathMatch<Value>>

/**
 * Values by path and method. `{name}` matches a segment and `{name*}` the rest of the path; literal segments take
 * precedence. Case and a final slash are ignored.
 */
export class PathTree<Value> {
  readonly #root: Node<Value> = emptyNode()

  add(path: string, method: string, value: Value): void {
    const names: string[] = []
    let node = this.#root
    for (const segment of segmentsOf(path).filter((each) => each !== '')) {
      const [, name, star] = /^\{(\w+)(\*?)\}$/.exec(segment) ?? []
      if (name === undefined) node = literalOf(node, segment.toLowerCase())
      else {
        names.push(name)
        node = star === '*' ? (node.rest ??= emptyNode()) : (node.parameter ??= emptyNode())
      }
    }
    if (!node.byMethod.has(method)) node.byMethod.set(method, { value, names })
  }

  /** The best match of each method. */
  find(path: string): ReadonlyMap<string, PathMatch<Value>> {
    const found: Matches<Value> = new Map()
    collect(this.#root, segmentsOf(path), 0, [], found)
    return found
  }
}

function emptyNode<Value>(): Node<Value> {
  return { literals: new Map(), byMethod: new Map() }
}

function literalOf<Value>({ literals }: Node<Value>, segment: string): Node<Value> {
  const node = literals.get(segment) ?? emptyNode<Value>()
  literals.set(segment, node)
  return node
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1)
}

function collect<Value>(
  node: Node<Value> | undefined,
  segments: readonly string[],
  at: number,
  values: readonly string[],
  found: Matches<Value>,
): void {
  if (node === undefined) return
  const segment = segments[at]
  if (segment === undefined || (segment === '' && at === segments.length - 1)) {
    addMatches(node, values, found)
    return
  }
  collect(node.literals.get(segment.toLowerCase()), segments, at + 1, values, found)
  if (segment !== '') collect(node.parameter, segments, at + 1, [...values, decoded(segment)], found)
  if (node.rest !== undefined) addMatches(node.rest, [...values, decoded(segments.slice(at).join('/'))], found)
}

function addMatches<Value>({ byMethod }: Node<Value>, values: readonly string[], found: Matches<Value>): void {
  for (const [method, { value, names }] of byMethod) {
    if (found.has(method)) continue
    found.set(method, { value, params: Object.fromEntries(names.map((name, i) => [name, values[i] ?? ''])) })
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
