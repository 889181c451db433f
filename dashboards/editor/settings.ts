import { createContext, useContext } from 'react'
import type { Context } from 'react'
import { callJson, callFunction, jsonBody } from '../auth/auth-service.ts'
import type { Answers, EditorSettings, Requests } from './answers.gen.ts'
import type { Network, NetworkSettings, OpenedProject, ProjectPage, SaveAnswer, SaveRequest } from './types.ts'

/** @throws ApiProblem */
export function readSettings(signal: AbortSignal): Promise<EditorSettings> {
  return callJson<EditorSettings>('/editor/settings', { signal })
}

export const SettingsContext: Context<EditorSettings | undefined> = createContext<EditorSettings | undefined>(undefined)

export function useSettings(): EditorSettings {
  const settings = useContext(SettingsContext)
  if (settings === undefined) throw new Error('useSettings requires a SettingsContext.')
  return settings
}

export function defaultNetwork({ networks }: EditorSettings): Network {
  return (networks.find((one) => one.is_default) ?? networks[0])?.network ?? 'testnet'
}

export function networkSettings({ networks }: EditorSettings, network: Network): NetworkSettings | undefined {
  return networks.find((one) => one.network === network)
}

/** All calls throw ApiProblem. */
const place = { passkeyAuthUrl: '/functions/v1/projects' }

/** Undefined if no user is signed in. */
export type TokenSource = () => Promise<string | undefined>

export class ProjectsClient {
  readonly #token: TokenSource

  constructor(token: TokenSource) {
    this.#token = token
  }

  async list(cursor?: string): Promise<ProjectPage> {
    return this.#call('/projects/list', { limit: 30, ...(cursor === undefined ? {} : { cursor }) })
  }

  async get(slug: string): Promise<OpenedProject> {
    return this.#call('/projects/get', { slug })
  }

  async save(request: SaveRequest): Promise<SaveAnswer> {
    return this.#call('/projects/save', request)
  }

  async remove(id: string): Promise<void> {
    await this.#call('/projects/delete', { id })
  }

  async fork(slug: string): Promise<string> {
    return (await this.#call<{ readonly slug: string }>('/projects/fork', { slug, save_id: crypto.randomUUID() })).slug
  }

  async runTests(request: Requests['POST /editor/tests'], signal: AbortSignal): Promise<Answers['POST /editor/tests']> {
    const init = jsonBody(request)
    const headers = new Headers(init.headers)
    const token = await this.#token()
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return callJson('/editor/tests', { ...init, headers, signal })
  }

  async #call<Data>(endpoint: string, data: unknown): Promise<Data> {
    return callFunction<Data>(place, endpoint, data, await this.#token())
  }
}
