export interface InlineMetadata {
  readonly name: string | null
  readonly image: string | null
}

const maxNameLength = 200

/** Metadata in a `data:` URI with JSON, which is untrusted. */
export function inlineMetadata(uri: string | null): InlineMetadata {
  const [, encoding, content = ''] = /^data:application\/json([^,]{0,100}),(.*)$/is.exec(uri ?? '') ?? []
  if (encoding === undefined) return { name: null, image: null }
  const { name, image } = fieldsOf(/;base64$/i.test(encoding) ? Buffer.from(content, 'base64').toString() : content)
  return {
    name:
      typeof name === 'string' && name.trim() !== '' ? Array.from(name.trim()).slice(0, maxNameLength).join('') : null,
    image: typeof image === 'string' && image !== '' ? image : null,
  }
}

function fieldsOf(json: string): { readonly name?: unknown; readonly image?: unknown } {
  for (const text of [json, decoded(json)]) {
    try {
      const value: unknown = JSON.parse(text)
      return typeof value === 'object' && value !== null ? value : {}
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  return {}
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return ''
  }
}
