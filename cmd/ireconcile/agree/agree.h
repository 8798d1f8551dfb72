/*
 * agree: whether an observed object has all that is desired of it.
 *
 * The rules, the table of keyed lists and their sources: doc/agreement.md.
 * In short: every desired field is present and equal; null, "", [] and empty
 * label, annotation or data maps equal absent; quantities compare as
 * quantities; known keyed lists compare by key and may hold more; other lists
 * by index and length; additional observed fields do not matter.
 *
 * All jv arguments are borrowed. Nothing here fails.
 */
#ifndef AGREE_H
#define AGREE_H

#include <stdbool.h>
#include <jv.h>

#include "base/buf.h"
#include "base/span.h"

/*
 * True if observed agrees with desired. Else the first path that does not is
 * appended to path (may be NULL), like ".spec.template.spec.containers[name=
 * main].image"; paths never hold values other than keys of lists.
 *
 * The annotation PROOF_PATHS has the digest of the desired leaf paths and is a
 * normal field: put it into desired first (agree_mark_paths), and fields that
 * are no longer desired show as a difference of it.
 */
bool agree_object(jv desired_peek, jv observed_peek, struct buf *path);

/*
 * agree_object without trees, of two objects as valid JSON, desired printed by
 * jvtext: what is settled is compared at a tenth of the cost. False: they do
 * not agree, or agree_object has to tell.
 */
bool agree_surely(struct span desired, struct span observed);

/*
 * For a ConfigMap or a Secret that agrees: whether observed has no key in data
 * and binaryData but the desired ones. Else the path of the first one is
 * appended to path (may be NULL).
 */
bool agree_exactly(jv desired_peek, jv observed_peek, struct buf *path);

/*
 * agree_object with the first values that differ, appended to values (may be
 * NULL): "1, then 2": the observed one and the desired one, cut. Not for what
 * may be secret.
 */
bool agree_values(
    jv desired_peek, jv observed_peek, struct buf *path, struct buf *values);
/*
 * For .status, which is owned whole: agrees in both directions. jv_invalid()
 * counts as absent.
 */
bool agree_status_values(
    jv desired_peek, jv observed_peek, struct buf *path, struct buf *values);

/*
 * All paths that differ, in the order of the keys, each with the observed value
 * and the desired one as JSON, cut; no values where elements are missing, or
 * lists have other lengths, nor of stringData. `whole` gets the observed value
 * as it is (invalid: none), also of these; of a list in a custom resource that
 * has another length, the desired elements that it lacks. Either may be NULL.
 */
struct agree_each {
	void (*found)(void *arg, struct span path, struct span observed,
	    struct span desired);
	void *arg;
	void (*whole)(void *arg, struct span path, jv observed_peek);
};
void agree_differences(
    jv desired_peek, jv observed_peek, const struct agree_each *each);

/*
 * agree_status_values, where a desired string that holds "${error}" or
 * "${manager}", as texts says, agrees with any text in its place: kapply filled
 * it in. If they agree, and error is not NULL, the text in the place of the
 * first "${error}" that is alone in its string is appended to it.
 */
enum agree_text { AGREE_ERROR = 1, AGREE_MANAGER = 2 };
bool agree_template(
    jv template_peek, jv observed_peek, unsigned texts, struct buf *error);

/*
 * Digest of the desired leaf paths (no values; elements of keyed lists by
 * key; apart from the annotation itself): 22 characters of base64url, the
 * first 128 bits of SHA-256. Stable between releases: doc/agreement.md.
 */
enum { AGREE_DIGEST_SIZE = 23 };
void agree_path_digest(jv desired_peek, char digest[AGREE_DIGEST_SIZE]);

/* desired (consumed) with the annotation set; returned owned. */
jv agree_mark_paths(jv desired);

/*
 * Whether two quantities ("1", 1, "1000m", "1e3", "2Gi") are the same amount.
 * False if either is not a quantity.
 */
bool agree_quantities(jv a_peek, jv b_peek);

#endif
