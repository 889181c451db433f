export interface Roles {
  readonly roles: readonly string[]
  readonly teams: readonly string[]
}

/** Roles and teams (lists or comma-separated) from app_metadata; users can change user_metadata. */
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
