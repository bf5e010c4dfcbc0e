//! Starts the page, and says which parts of it are loaded when they are needed first.

#[cfg(target_arch = "wasm32")]
#[allow(clippy::unnecessary_wraps)] // loading a part can fail, what is in it cannot
mod parts {
    use lanescope::pane::context::ViewContext;
    use lanescope::views::mapping::page::MappingInput;
    use lanescope::views::parts::{Loaded, LocalFuture, Parts};
    use wasm_split_helpers::wasm_split;

    /// The parts: views that are often used together are one.
    pub(crate) const PARTS: Parts = Parts {
        show: |id, context| match id {
            id if id == lanescope::views::code::page::VIEW.id => Box::pin(code(context)),
            id if id == lanescope::views::access::page::VIEW.id => Box::pin(access(context)),
            id if id == lanescope::views::schedule::page::VIEW.id => Box::pin(schedule(context)),
            id if id == lanescope::views::executions::page::VIEW.id => Box::pin(executions(context)),
            id if id == lanescope::views::lifetimes::page::VIEW.id => Box::pin(lifetimes(context)),
            id if id == lanescope::views::density::page::VIEW.id => Box::pin(density(context)),
            id if id == lanescope::views::plan::page::VIEW.id => Box::pin(plan(context)),
            id if id == lanescope::views::details::page::VIEW.id => Box::pin(details(context)),
            id if id == lanescope::views::operators::page::VIEW.id => Box::pin(operators(context)),
            id if id == lanescope::views::statistics::page::VIEW.id => Box::pin(statistics(context)),
            id if id == lanescope::views::overview::page::VIEW.id => Box::pin(overview(context)),
            id if id == lanescope::views::tables::page::VIEW.id => Box::pin(tables(context)),
            _ => Box::pin(report(context)),
        },
        mapping: |input| Box::pin(mapping(input)),
        load: || -> LocalFuture<()> {
            Box::pin(async {
                // One view of each part. What fails is tried again when a view is shown.
                let _ = load_code().await;
                let _ = load_texts().await;
                let _ = load_planes().await;
            })
        },
    };

    #[wasm_split(code, fallible, preload(load_code))]
    fn code(context: ViewContext) -> Loaded {
        Ok(lanescope::views::code::page::show(context))
    }

    #[wasm_split(overview, fallible)]
    fn overview(context: ViewContext) -> Loaded {
        Ok(lanescope::views::overview::page::show(context))
    }

    #[wasm_split(texts, fallible, preload(load_texts))]
    fn details(context: ViewContext) -> Loaded {
        Ok(lanescope::views::details::page::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn tables(context: ViewContext) -> Loaded {
        Ok(lanescope::views::tables::page::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn operators(context: ViewContext) -> Loaded {
        Ok(lanescope::views::operators::page::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn statistics(context: ViewContext) -> Loaded {
        Ok(lanescope::views::statistics::page::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn plan(context: ViewContext) -> Loaded {
        Ok(lanescope::views::plan::page::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn report(context: ViewContext) -> Loaded {
        Ok(lanescope::views::report::page::show(context))
    }

    #[wasm_split(texts, fallible)]
    fn mapping(input: MappingInput) -> Loaded {
        Ok(lanescope::views::mapping::page::show(input))
    }

    #[wasm_split(planes, fallible, preload(load_planes))]
    fn schedule(context: ViewContext) -> Loaded {
        Ok(lanescope::views::schedule::page::show(context))
    }

    #[wasm_split(planes, fallible)]
    fn executions(context: ViewContext) -> Loaded {
        Ok(lanescope::views::executions::page::show(context))
    }

    #[wasm_split(planes, fallible)]
    fn lifetimes(context: ViewContext) -> Loaded {
        Ok(lanescope::views::lifetimes::page::show(context))
    }

    #[wasm_split(planes, fallible)]
    fn access(context: ViewContext) -> Loaded {
        Ok(lanescope::views::access::page::show(context))
    }

    #[wasm_split(planes, fallible)]
    fn density(context: ViewContext) -> Loaded {
        Ok(lanescope::views::density::page::show(context))
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    lanescope::page::start(parts::PARTS);
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program runs in a browser: cargo xtask serve");
}
