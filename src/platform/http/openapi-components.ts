type JsonObject = Record<string, unknown>

interface Document {
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly components: { readonly responses: Readonly<Record<string, JsonObject>> }
}

interface SharedParts {
  readonly paths: Record<string, JsonObject>
  readonly responses: Record<string, JsonObject>
  readonly parameters: Record<string, JsonObject>
}

/**
 * Moves the parameters and error responses that several operations have in common to components,
 * and refers to them by `$ref`.
 */
export function sharePartsOf({ paths, components }: Document): SharedParts {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods) as JsonObject[])
  const parameters = new Shared('parameters', {})
  const responses = new Shared('responses', components.responses)
  for (const operation of operations) {
    for (const parameter of parametersOf(operation)) parameters.count(parameter)
    for (const [, response] of errorsOf(operation)) if (!isReference(response)) responses.count(response)
  }
  const share = (operation: JsonObject): JsonObject => ({
    ...operation,
    ...('parameters' in operation
      ? { parameters: parametersOf(operation).map((each) => parameters.replace(each, String(each['name']))) }
      : {}),
    responses: {
      ...(operation['responses'] as JsonObject),
      ...Object.fromEntries(
        errorsOf(operation).map(([status, response]) => [
          status,
          isReference(response) ? response : responses.replace(response, `Error${status}`),
        ]),
      ),
    },
  })
  return {
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(Object.entries(methods).map(([method, each]) => [method, share(each as JsonObject)])),
      ]),
    ),
    responses: responses.components,
    parameters: parameters.components,
  }
}

function parametersOf({ parameters }: JsonObject): readonly JsonObject[] {
  return (parameters ?? []) as readonly JsonObject[]
}

function errorsOf({ responses }: JsonObject): readonly (readonly [status: string, response: JsonObject])[] {
  return Object.entries(responses as Record<string, JsonObject>).filter(([status]) => !status.startsWith('2'))
}

function isReference(part: JsonObject): boolean {
  return typeof part['$ref'] === 'string'
}

class Shared {
  readonly components: Record<string, JsonObject>
  readonly #kind: string
  readonly #uses = new Map<string, number>()
  readonly #references = new Map<string, JsonObject>()

  constructor(kind: string, known: Readonly<Record<string, JsonObject>>) {
    this.#kind = kind
    this.components = { ...known }
  }

  count(part: JsonObject): void {
    const key = JSON.stringify(part)
    this.#uses.set(key, (this.#uses.get(key) ?? 0) + 1)
  }

  /** @param name of the component; further ones with the name are numbered from 2 */
  replace(part: JsonObject, name: string): JsonObject {
    const key = JSON.stringify(part)
    if ((this.#uses.get(key) ?? 0) < 2) return part
    const known = this.#references.get(key)
    if (known !== undefined) return known
    const plain = name.replaceAll(/[^\w.-]/g, '_')
    let [free, number] = [plain, 2]
    while (free in this.components) free = `${plain}_${number++}`
    this.components[free] = part
    const reference = { $ref: `#/components/${this.#kind}/${free}` }
    this.#references.set(key, reference)
    return reference
  }
}
