/** What somebody may do, as the auth server says. */
export interface Roles {
  /** Lower case, each once. */
  readonly roles: readonly string[]
  readonly teams: readonly string[]
}

/** Reads roles and teams of a user: lists, or texts with commas. Only app_metadata counts; user_metadata is the user's own to write. */
export function rolesOf({ app_metadata: metadata }: { readonly app_metadata?: unknown }): Roles {
  const { role, roles, team, teams } = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as Readonly<
    Record<string, unknown>
  >
  return { roles: namesOf(role, roles), teams: namesOf(team, teams) }
}

function namesOf(...values: readonly unknown[]): readonly string[] {
  const texts = values.flatMap((value): readonly unknown[] =>
    Array.isArray(value) ? (value as unknown[]) : typeof value === 'string' ? value.split(',') : [],
  )
  return [
    ...new Set(
      texts.flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim().toLowerCase()] : [])),
    ),
  ]
}
