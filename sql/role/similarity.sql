-- Cosine similarity, from -1 to 1, between the texts of a project and the given vector. The latest vector of a text counts.
-- Vectors of another length and zero vectors are left out.
-- Needs: embedding, embedding_value
-- Takes: $project, $model, asked_vector
-- Makes: role_similarity (rows)
-- Grain: (text_hash).
with latest as (
    select text_hash, landing_seq
    from (
        select
            known.text_hash,
            known.landing_seq,
            row_number() over (
                partition by known.text_hash
                order by known.ts_us desc nulls last, known.landing_seq desc nulls last
            ) as recency
        from embedding as known
        -- A vector without a model is taken to be of the model that is asked for.
        where known.project = $project and coalesce(known.model, $model) = $model
    ) as ranked
    where recency = 1
),
sought as (
    select count(*) as numbers, sum(value * value) as square
    from asked_vector
),
measured as (
    select
        latest.text_hash,
        count(known.value) as numbers,
        count(known.value * asked.value) as shared,
        sum(known.value * asked.value) as product,
        sum(known.value * known.value) as square
    from latest
    inner join embedding_value as known on known.landing_seq = latest.landing_seq
    left join asked_vector as asked on asked.place = known.place
    group by latest.text_hash
),
compared as (
    select measured.text_hash, measured.product / nullif(sqrt(measured.square) * sqrt(sought.square), 0e0) as cosine
    from measured
    cross join sought
    where measured.numbers = sought.numbers and measured.shared = sought.numbers
)
-- The last digits depend on the order of addition. Rounding keeps them from ordering texts with equal vectors.
select text_hash, round(greatest(least(cosine, 1e0), -1e0), 12) as similarity
from compared
-- NaN compares as greater than every number, so this range excludes it.
where cosine between -2e0 and 2e0
order by text_hash asc nulls last
