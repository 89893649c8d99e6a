-- How much the texts of a project are like the one that is sought: the cosine of the angle between the two vectors, from -1 to 1. Of all
-- vectors of a text the latest counts. One of another length, or that points nowhere, is left out.
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
        -- A vector that names no model is taken for one of the model that is asked for.
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
-- The last digits depend on the order of addition, and must not put texts of the same vector in an order.
select text_hash, round(greatest(least(cosine, 1e0), -1e0), 12) as similarity
from compared
-- What is no number is beyond all numbers, and lies between none.
where cosine between -2e0 and 2e0
order by text_hash asc nulls last
