/** What the other rooms may know of projects. */
export interface ProjectAccess {
  /** Undefined: there is no such project, or this user may not see it. */
  find(projectId: string, userId: string | undefined): Promise<{ readonly id: string; readonly ownerId: string; readonly isPublic: boolean } | undefined>
}
