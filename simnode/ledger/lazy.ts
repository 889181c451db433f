/** A value that is made when it is first asked for: what nobody asks for costs nothing. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
