import type { ApiDescription } from '../../src/platform/http/openapi.ts'

/** The document with its shared parameters and responses in place of the references to them. */
export function dereferenced({ components, ...rest }: ApiDescription): ApiDescription {
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace)
    if (typeof value !== 'object' || value === null) return value
    const [, kind, name = ''] =
      /^#\/components\/(responses|parameters)\/(.*)$/.exec('$ref' in value ? String(value.$ref) : '') ?? []
    if (kind !== undefined) return components[kind as 'responses' | 'parameters'][name]
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replace(each)]))
  }
  return { ...(replace(rest) as Omit<ApiDescription, 'components'>), components } as ApiDescription
}
