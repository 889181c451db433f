import type { ReactNode } from 'react'
import { CopyButton } from '../../kit/copy-button.tsx'
import type { ProjectState } from '../project/project-state.ts'
import type { SaveState } from '../save/project-saver.ts'
import { Modal } from './modal.tsx'

export interface ShareDialogProps {
  readonly project: ProjectState
  readonly save: SaveState
  /** Where the editor is at home. */
  readonly url: string
  readonly onPublic: (isPublic: boolean) => void
  readonly onClose: () => void
}

/** Lets others see a project, by its link. */
export function ShareDialog({ project, save, url, onPublic, onClose }: ShareDialogProps): ReactNode {
  const { saved, isPublic, isReadOnly } = project
  const link = `${url}/p/${saved?.slug ?? ''}`
  const isOnItsWay = saved === undefined || saved.isPublic !== isPublic
  return (
    <Modal title="Share this project" onClose={onClose}>
      <div className="stack modal-body">
        {isReadOnly ? null : (
          <label className="check-line">
            <input
              type="checkbox"
              className="check"
              aria-label="Anybody with the link can see it"
              checked={isPublic}
              onChange={(event) => onPublic(event.target.checked)}
            />
            <span>
              <b>Anybody with the link can see it</b>
              <br />
              <span className="soft">They can look at the code, run scripts and fork it. They cannot change it.</span>
            </span>
          </label>
        )}
        {isPublic && saved !== undefined && (
          <div className="field">
            <label htmlFor="share-link">Link</label>
            <div className="with-button">
              <input
                id="share-link"
                className="input mono"
                readOnly
                value={link}
                onFocus={({ target }) => target.select()}
              />
              <CopyButton text={link} what="the link" />
            </div>
          </div>
        )}
        <p className="soft" role="status">
          {save.is === 'failed'
            ? `Not saved: ${save.reason}`
            : isOnItsWay
              ? 'One moment: this is being saved.'
              : isPublic
                ? 'The project is public.'
                : 'The project is private: you alone can see it.'}
        </p>
      </div>
    </Modal>
  )
}
