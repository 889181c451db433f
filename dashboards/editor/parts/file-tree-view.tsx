import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Icon } from '../../kit/controls.tsx'
import type { Problem } from '../language/problems.ts'
import { fileTree } from '../project/file-tree.ts'
import type { TreeNode } from '../project/file-tree.ts'
import type { ProjectState } from '../project/project-state.ts'

export interface FileTreeProps {
  readonly project: ProjectState
  readonly problems: readonly Problem[]
  readonly onOpen: (path: string) => void
  readonly onNew: (kind: 'file' | 'folder', folder: string) => void
  readonly onRename: (path: string, kind: 'file' | 'folder') => void
  readonly onDelete: (path: string, kind: 'file' | 'folder') => void
}

export function FileTreeView(props: FileTreeProps): ReactNode {
  const {
    project: { files, folders, isReadOnly },
    onNew,
  } = props
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const toggle = (path: string): void =>
    setClosed((old) => {
      const next = new Set(old)
      if (!next.delete(path)) next.add(path)
      return next
    })
  const nodes = fileTree(files.keys(), folders)
  return (
    <nav className="files" aria-label="Files">
      <div className="files-head">
        <h2>Files</h2>
        {!isReadOnly && (
          <div className="button-row">
            <Button
              look="plain"
              isSmall
              isIcon
              aria-label="New file"
              title="New file"
              onClick={() => onNew('file', '')}
            >
              <Icon name="plus" />
            </Button>
            <Button
              look="plain"
              isSmall
              isIcon
              aria-label="New folder"
              title="New folder"
              onClick={() => onNew('folder', '')}
            >
              <FolderIcon isNew />
            </Button>
          </div>
        )}
      </div>
      {nodes.length === 0 ? (
        <p className="files-empty soft">No files yet. Create one, or add one from a template.</p>
      ) : (
        <Nodes {...props} nodes={nodes} closed={closed} toggle={toggle} />
      )}
    </nav>
  )
}

interface NodesProps extends FileTreeProps {
  readonly nodes: readonly TreeNode[]
  readonly closed: ReadonlySet<string>
  readonly toggle: (path: string) => void
}

function Nodes(props: NodesProps): ReactNode {
  const { nodes, closed, toggle } = props
  return (
    <ul className="nodes">
      {nodes.map((node) => (
        <li key={`${node.kind} ${node.path}`}>
          {node.kind === 'file' ? (
            <FileRow {...props} node={node} />
          ) : (
            <>
              <div className="node">
                <button
                  type="button"
                  className="node-name"
                  aria-expanded={!closed.has(node.path)}
                  onClick={() => toggle(node.path)}
                >
                  <Icon name="chevron" size={14} />
                  <span>{node.name}</span>
                </button>
                <NodeActs {...props} node={node} />
              </div>
              {!closed.has(node.path) && <Nodes {...props} nodes={node.children} />}
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

function FileRow(props: FileTreeProps & { readonly node: TreeNode }): ReactNode {
  const {
    node: { path, name },
    project: { active },
    problems,
    onOpen,
  } = props
  const errors = problems.filter((problem) => problem.path === path && problem.severity === 'error').length
  return (
    <div className={`node${active === path ? ' active' : ''}`}>
      <button
        type="button"
        className="node-name file"
        aria-current={active === path ? 'true' : undefined}
        title={path}
        onClick={() => onOpen(path)}
      >
        <span className={errors > 0 ? 'bad-text' : undefined}>{name}</span>
        {errors > 0 && (
          <span className="count bad" aria-label={`${errors} ${errors === 1 ? 'error' : 'errors'}`}>
            {errors}
          </span>
        )}
      </button>
      <NodeActs {...props} />
    </div>
  )
}

function NodeActs({
  node: { path, kind },
  project: { isReadOnly },
  onNew,
  onRename,
  onDelete,
}: FileTreeProps & { readonly node: TreeNode }): ReactNode {
  if (isReadOnly) return null
  return (
    <div className="node-acts">
      {kind === 'folder' && (
        <Button
          look="plain"
          isSmall
          isIcon
          aria-label={`New file in ${path}`}
          title="New file in this folder"
          onClick={() => onNew('file', path)}
        >
          <Icon name="plus" size={14} />
        </Button>
      )}
      <Button
        look="plain"
        isSmall
        isIcon
        aria-label={`Rename ${path}`}
        title="Rename or move"
        onClick={() => onRename(path, kind)}
      >
        <Icon name="pencil" size={14} />
      </Button>
      <Button
        look="plain"
        isSmall
        isIcon
        aria-label={`Delete ${path}`}
        title="Delete"
        onClick={() => onDelete(path, kind)}
      >
        <Icon name="trash" size={14} />
      </Button>
    </div>
  )
}

function FolderIcon({ isNew = false }: { readonly isNew?: boolean }): ReactNode {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path
        d="M2 12.3V4.2A1.2 1.2 0 0 1 3.2 3h2.6l1.6 1.8h5.4A1.2 1.2 0 0 1 14 6v6.3a1.2 1.2 0 0 1-1.2
        1.2H3.200A1.2 1.2 0 0 1 2 12.300Z"
      />
      {isNew && <path d="M8 7.300v3.800M6.100 9.200h3.800" />}
    </svg>
  )
}
