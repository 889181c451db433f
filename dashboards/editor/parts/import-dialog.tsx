import { useState } from 'react'
import type { ReactNode } from 'react'
import { ProblemLine } from '../../auth/action.tsx'
import { Button } from '../../kit/controls.tsx'
import { Modal } from '../../kit/dialog.tsx'
import type { ProjectState } from '../project/project-state.ts'
import { readZip, ZipProblem } from '../project/zip.ts'
import type { ZipContents } from '../project/zip.ts'
import { useSettings } from '../settings.ts'
import type { StoredFile } from '../types.ts'

interface ImportDialogProps {
  readonly project: ProjectState
  readonly onImport: (files: readonly StoredFile[]) => void
  readonly onClose: () => void
}

const maxListed = 100

export function ImportDialog({ project, onImport, onClose }: ImportDialogProps): ReactNode {
  const { limits } = useSettings()
  const [contents, setContents] = useState<ZipContents>()
  const [problem, setProblem] = useState<string>()
  const read = async (file: File | undefined): Promise<void> => {
    setContents(undefined)
    setProblem(undefined)
    if (file === undefined) return
    try {
      // Before the file is in memory.
      if (file.size > limits.project_bytes)
        throw new ZipProblem(`The archive has ${file.size} bytes; the limit is ${limits.project_bytes}.`)
      const { files, folders } = project
      setContents(readZip(new Uint8Array(await file.arrayBuffer()), { name: file.name, files, folders, limits }))
    } catch (error) {
      if (!(error instanceof ZipProblem || error instanceof DOMException)) throw error
      setProblem(error.message)
    }
  }
  const replaced = contents?.files.filter(({ path, content }) => {
    const before = project.files.get(path)
    return before !== undefined && before !== content
  })
  return (
    <Modal title="Import a ZIP archive" onClose={onClose}>
      <div className="stack modal-body">
        <label className="field">
          <span>Archive with text files, up to {limits.project_bytes.toLocaleString('en')} bytes unpacked</span>
          <input
            className="input"
            type="file"
            accept=".zip,application/zip"
            onChange={(event) => void read(event.target.files?.[0])}
          />
        </label>
        <ProblemLine problem={problem} />
        {contents !== undefined && replaced !== undefined && (
          <div className="stack-small" role="status">
            <p>
              {contents.files.length} {contents.files.length === 1 ? 'file' : 'files'} to import
              {replaced.length > 0 && `, which replace the content of ${replaced.length} in the project`}.
            </p>
            {replaced.length > 0 && <Paths title="Replaced" paths={replaced.map(({ path }) => path)} />}
            {contents.skipped.length > 0 && (
              <Paths
                title="Skipped"
                paths={contents.skipped.map(({ path, reason }) => `${path.slice(0, 200)}: ${reason}`)}
              />
            )}
          </div>
        )}
        <div className="button-row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="strong"
            disabled={contents === undefined || contents.files.length === 0}
            onClick={() => {
              if (contents !== undefined) onImport(contents.files)
            }}
          >
            Import
          </Button>
        </div>
      </div>
    </Modal>
  )
}

function Paths({ title, paths }: { readonly title: string; readonly paths: readonly string[] }): ReactNode {
  return (
    <details>
      <summary>
        {title}: {paths.length}
      </summary>
      <ul className="path-list">
        {paths.slice(0, maxListed).map((path) => (
          <li key={path}>{path}</li>
        ))}
        {paths.length > maxListed && <li className="soft">{paths.length - maxListed} more</li>}
      </ul>
    </details>
  )
}
